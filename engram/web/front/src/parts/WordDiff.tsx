import { diffWordsWithSpace } from "diff";
import { t } from "../i18n";
import { Said } from "./Said";

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
  const words = new Intl.Segmenter(undefined, { granularity: "word" });
  const parts = diffWordsWithSpace(was, now, { intlSegmenter: words });
  return (
    <span class="diff said" dir="auto">
      {parts.map((part) =>
        part.removed ? (
          <del title={t("parts.went")}>{part.value}</del>
        ) : part.added ? (
          <ins title={t("parts.came")}>{part.value}</ins>
        ) : (
          <Said text={part.value} />
        ),
      )}
    </span>
  );
}
