import type { ComponentChildren } from "preact";
import { t } from "../i18n";
import { type Key, useKeys } from "../keys";
import { factUrl, go } from "../router";
import { Confidence, Over, Overdue, RestsOnLess, Status, Tier, Trust } from "./Badges";
import { type Fact, correct, isLive, keep, reject } from "./fact";
import { Said } from "./Said";
import { Source } from "./Source";
import { WordDiff } from "./WordDiff";

// One fact in a list: what it says, where from, how sure, and what can be done with it.
export function FactRow(props: { fact: Fact; chosen?: boolean; sure?: boolean; choose?: () => void; children?: ComponentChildren }) {
  const { fact, chosen } = props;
  const live = isLive(fact);
  return (
    <li
      class={`fact ${chosen ? "chosen" : ""} ${live ? "" : "gone"}`}
      data-fact={fact.id}
      aria-current={chosen ? "true" : undefined}
      onPointerDown={props.choose}
      onFocusCapture={props.choose}
    >
      <a class="fact-text" href={factUrl(fact.id)}>
        {fact.was ? <WordDiff was={fact.was} now={fact.text} /> : <Said text={fact.text} most={600} />}
      </a>
      <div class="fact-line">
        <Source of={fact.said} on={fact.valid_from} />
        {fact.status !== "active" && <Status of={fact.status} />}
        <Overdue since={fact.overdue_since} />
        <Over by={fact.outdated_by} />
        {fact.pinned && <span class="state pinned">{t("parts.pinned")}</span>}
        {live && props.sure && <Tier of={fact.tier} />}
        {fact.trust !== "trusted" && <Trust of={fact.trust} />}
        {props.sure && <Confidence of={fact.confidence} />}
        <RestsOnLess of={fact.grounds} />
        {props.children}
      </div>
      {live && (
        <div class="fact-actions">
          <button type="button" class="button small quiet" onClick={() => keep(fact)}>
            {t("parts.keep")} {chosen && <kbd>c</kbd>}
          </button>
          <button type="button" class="button small quiet" onClick={() => correct(fact)}>
            {t("parts.correct")} {chosen && <kbd>e</kbd>}
          </button>
          <button type="button" class="button small quiet" onClick={() => reject(fact)}>
            {t("parts.reject")} {chosen && <kbd>x</kbd>}
          </button>
        </div>
      )}
    </li>
  );
}

// Keys of a list of facts: down, up, open, and what can be done with the chosen one.
export function useFactKeys(facts: Fact[], chosen: string | null, choose: (id: string) => void): void {
  const place = facts.findIndex((one) => one.id === chosen);
  const fact = facts[place];
  const move = (by: number) => {
    const next = facts[Math.max(0, Math.min(facts.length - 1, place < 0 ? 0 : place + by))];
    if (!next) return;
    choose(next.id);
    queueMicrotask(() =>
      document.querySelector(`[data-fact="${CSS.escape(next.id)}"]`)?.scrollIntoView({ block: "nearest" }),
    );
  };
  const keys: Key[] = facts.length
    ? [
        { key: "j", label: t("parts.next"), run: () => move(1) },
        { key: "k", label: t("parts.before"), run: () => move(-1) },
      ]
    : [];
  if (fact) {
    keys.push({ key: "Enter", label: t("parts.open"), run: () => go(factUrl(fact.id)) });
    const onward = { done: () => move(1) };
    if (isLive(fact)) {
      keys.push(
        { key: "c", label: t("parts.keep-this"), run: () => keep(fact, onward) },
        { key: "e", label: t("parts.correct-this"), run: () => correct(fact, { done: (made) => made.id && choose(made.id) }) },
        { key: "x", label: t("parts.reject-this"), run: () => reject(fact, onward) },
      );
    }
  }
  useKeys(keys);
}
