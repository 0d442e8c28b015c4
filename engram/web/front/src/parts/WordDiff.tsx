import { t } from "../i18n";
import { Said, visible } from "./Said";
import { wordParts } from "./words";

const LONGEST = 4000; // characters that are compared word by word

// What became of a text: words that went, and words that came. Both are named for who does not see the colours.
export function WordDiff({ was, now }: { was: string; now: string }) {
  if (was.length > LONGEST || now.length > LONGEST)
    return (
      <span class="diff">
        <del>
          <Said text={was} />
        </del>{" "}
        <ins>
          <Said text={now} />
        </ins>
      </span>
    );
  const parts = wordParts(was, now);
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
