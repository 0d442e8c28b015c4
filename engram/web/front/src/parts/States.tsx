import type { ComponentChildren } from "preact";
import type { Loaded, Problem } from "../api";
import { t } from "../i18n";

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

export function Trouble({ problem, again }: { problem: Problem; again?: () => void }) {
  return (
    <div class="card problem stack tight" role="alert">
      <strong>{problem.message}</strong>
      {problem.hint && <span class="small">{problem.hint}</span>}
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
