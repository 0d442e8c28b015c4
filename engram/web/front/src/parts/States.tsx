import type { ComponentChildren } from "preact";
import type { Loaded, Problem } from "../api";
import { t } from "../i18n";
import { isCommand, refusal } from "../phrases";

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

// Why something was not done. Where we have no words for it in the reader's language, Engram's own are there to be opened.
export function Refusal({ of }: { of: Problem }) {
  const { message, hint, original } = refusal(of);
  return (
    <>
      <strong>{message}</strong>
      {hint && <span class="small">{isCommand(hint) ? <code>{hint}</code> : hint}</span>}
      {original && (
        <details class="small">
          <summary>{t("shell.refused-words")}</summary>
          <span lang="en">{original}</span>
        </details>
      )}
    </>
  );
}

export function Trouble({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div class="card problem stack tight" role="alert">
      <Refusal of={problem} />
      {again && (
        <div>
          <button type="button" class="button small" onClick={again}>
            {t("shell.again")}
          </button>
        </div>
      )}
    </div>
  );
}

// What was asked for, or why it is not there. An old answer stays while the new one is fetched.
export function Shown<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  if (of.problem) return <Trouble problem={of.problem} again={of.again} />;
  if (of.data === null)
    return (
      <div class="loading" role="progressbar" aria-label={t("shell.loading")}>
        <span class="visually-hidden">{t("shell.loading")}</span>
      </div>
    );
  return <>{children(of.data)}</>;
}
