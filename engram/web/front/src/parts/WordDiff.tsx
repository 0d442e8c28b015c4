import { t } from "../i18n";
import { Said, visible } from "./Said";
import { wordParts } from "./words";

const LONGEST = 4000; // characters that are compared word by word
const LEAST_KEPT = 0.25; // share of the longer text below which it was written anew, and words tell nothing

// What became of a text: words that went, and words that came. Both are named for who does not see the colours.
export function WordDiff({ was, now }: { was: string; now: string }) {
  if (was.length > LONGEST || now.length > LONGEST) return <Whole was={was} now={now} />;
  const parts = wordParts(was, now);
  const kept = parts.reduce((sum, part) => sum + (part.removed || part.added ? 0 : part.value.trim().length), 0);
  if (kept < LEAST_KEPT * Math.max(was.length, now.length)) return <Whole was={was} now={now} />;
  return (
    <span class="diff said" dir="auto">
      {parts.map((part) =>
        part.removed ? (
          <del title={t("parts.went")}>{visible(part.value)}</del>
        ) : part.added ? (
          <ins title={t("parts.came")}>{visible(part.value)}</ins>
        ) : (
          visible(part.value)
        ),
      )}
    </span>
  );
}

function Whole({ was, now }: { was: string; now: string }) {
  return (
    <span class="diff">
      <del title={t("parts.went")}>
        <Said text={was} />
      </del>{" "}
      <ins title={t("parts.came")}>
        <Said text={now} />
      </ins>
    </span>
  );
}
