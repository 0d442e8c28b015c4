import type { JSX } from "preact";

// Text that somebody else wrote is shown as text, and signs that would turn or hide other text are shown as signs.
const HIDDEN = /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}])/u;

// Some of those signs belong to how people write: they join the parts of one emoji or the letters of a script, or say
// where a sign stands in a text that runs from right to left. There they are left as they are.
const JOINER = "\u200d";
const SHAPING = new Set([JOINER, "\u200c"]);
const MARKS = new Set(["\u200e", "\u200f", "\u061c"]);
const SHAPED =
  "\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mong}";
const ENDS_SHAPED = new RegExp(`[${SHAPED}]$`, "u");
const ENDS_EMOJI = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u; // as a class Chromium takes it for none
const BEGINS_EMOJI = /^\p{Extended_Pictographic}/u;
const RIGHT_TO_LEFT = /[\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}]/u;

function isOfWriting(sign: string, before: string, after: string, text: string): boolean {
  if (MARKS.has(sign)) return RIGHT_TO_LEFT.test(text);
  if (sign === JOINER && ENDS_EMOJI.test(before) && BEGINS_EMOJI.test(after)) return true;
  return SHAPING.has(sign) && ENDS_SHAPED.test(before);
}

export function visible(text: string): (string | JSX.Element)[] {
  if (!HIDDEN.test(text)) return [text];
  const parts = text.split(HIDDEN);
  return parts.map((part, place) =>
    place % 2 && !isOfWriting(part, parts[place - 1]!, parts[place + 1]!, text) ? (
      <span class="control">U+{part.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}</span>
    ) : (
      part
    ),
  );
}

const LONGEST = 4000; // characters that are drawn; a text of a megabyte would hold the page up

// As much of a text as there is room for; no sign of two halves is cut in two.
function begin(text: string, most: number): string {
  return text.slice(0, /[\ud800-\udbff]/.test(text[most - 1] ?? "") ? most - 1 : most);
}

export function Said({ text, most = LONGEST, class: name = "" }: { text: string; most?: number; class?: string }) {
  const shown = text.length > most ? begin(text, most) : text;
  return (
    <span class={`said ${name}`} dir="auto">
      {visible(shown)}
      {shown.length < text.length && <span class="muted"> … +{text.length - shown.length}</span>}
    </span>
  );
}
