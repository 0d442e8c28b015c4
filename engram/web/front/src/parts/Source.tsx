import { day, isWholeDay, t } from "../i18n";
import { Said } from "./Said";

export interface SourceLine {
  origin: "person" | "said" | "imported" | "agent" | "other";
  session: string | null;
  path: string | null;
  label: string | null;
}

// Where a fact comes from, in one line: whose words, in which session or file, and when. What was said holds from the
// very moment, unless its words name another day.
export function Source({ of, on }: { of: SourceLine; on: string }) {
  const place = of.session ?? of.label ?? fileOf(of.path);
  const who = t(`parts.origin-${of.origin}`);
  return (
    <span class="source">
      {who}
      {place && (
        <>
          {" · "}
          <Said text={place} most={80} class="place" />
        </>
      )}
      {" · "}
      <time dateTime={on}>{of.session && !isNote(of.path) && isWholeDay(on) ? t("parts.from", { day: day(on) }) : day(on)}</time>
    </span>
  );
}

const isNote = (path: string | null): boolean => path?.startsWith("memory/") ?? false;
const fileOf = (path: string | null): string | null => path && path.split("/").slice(-2).join("/");
