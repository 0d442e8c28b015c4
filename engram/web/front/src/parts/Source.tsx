import { day, t } from "../i18n";
import { Said } from "./Said";

export interface SourceLine {
  origin: "person" | "said" | "imported" | "agent" | "other";
  session: string | null;
  path: string | null;
  label: string | null;
}

// Where a fact comes from, in one line: whose words, in which session or file, on which day they began to hold.
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
      <time dateTime={on}>{day(on)}</time>
    </span>
  );
}

const fileOf = (path: string | null): string | null => path && path.split("/").slice(-2).join("/");
