import { dayOrMonth, number, percent, t } from "../i18n";
import { factUrl } from "../router";
import "./parts.css";

// What a fact is worth, in words beside a colour of its own.
export function Tier({ of }: { of: string }) {
  return (
    <span class={`badge ${of}`} title={t(`parts.tier-${of}-why`)}>
      {t(`parts.tier-${of}`)}
    </span>
  );
}

export function Trust({ of }: { of: string }) {
  return (
    <span class={`badge ${of}`} title={t(`parts.trust-${of}-why`)}>
      {t(`parts.trust-${of}`)}
    </span>
  );
}

export function Status({ of }: { of: string }) {
  return <span class={`state ${of}`}>{t(`parts.status-${of}`)}</span>;
}

// Since when a promise is overdue, as it was said: 2026-05-31, 2026-05.
export function Overdue({ since }: { since?: string | null | undefined }) {
  if (!since) return null;
  return (
    <span class="state overdue" title={t("parts.overdue-why")}>
      {t("parts.overdue", { day: dayOrMonth(since) })}
    </span>
  );
}

// Of a promise that a newer fact tells to be over, as it was done or put off: it leads to that one.
export function Over({ by }: { by: string | undefined }) {
  if (!by) return null;
  return (
    <a class="state over" title={t("parts.over-why")} href={factUrl(by)}>
      {t("parts.over")}
    </a>
  );
}

export function Confidence({ of }: { of: number }) {
  return (
    <span class="sure" title={t("parts.sure-why")}>
      <span class="sure-bar" aria-hidden="true">
        <span style={{ width: `${Math.round(of * 100)}%` }} />
      </span>
      {t("parts.sure", { share: percent(of) })}
    </span>
  );
}

// Of what was made of other facts, when some of those hold no longer.
export function RestsOnLess({ of }: { of: { parts: number; standing: number } | undefined }) {
  if (!of || of.standing >= of.parts) return null;
  return (
    <span class="state pending" title={t("parts.rests-on-less-why")}>
      {t("parts.rests-on-less", { n: of.standing, parts: number(of.parts) })}
    </span>
  );
}
