import { t } from "../i18n";
import { type Key, useKeys } from "../keys";

// Keys of a list of links: j and k move the focus through what is marked with data-row, Enter follows it.
export function useListKeys(more: Key[] = []): void {
  const move = (by: number) => () => {
    const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, at + by))];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  useKeys([
    { key: "j", label: t("lists.next"), run: move(1) },
    { key: "k", label: t("lists.before"), run: move(-1) },
    ...more,
  ]);
}
