import type { JSX } from "preact";

// Text that somebody else wrote is shown as text, and signs that would turn or hide other text are shown as signs.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;

export function visible(text: string): (string | JSX.Element)[] {
  if (!HIDDEN.test(text)) return [text];
  return text.split(/([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff])/u).map((part, place) =>
    place % 2 ? <span class="control">U+{part.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}</span> : part,
  );
}

const LONGEST = 4000; // characters that are drawn; a text of a megabyte would hold the page up

export function Said({ text, most = LONGEST, class: name = "" }: { text: string; most?: number; class?: string }) {
  const shown = text.length > most ? text.slice(0, most) : text;
  return (
    <span class={`said ${name}`} dir="auto">
      {visible(shown)}
      {shown.length < text.length && <span class="muted"> … +{text.length - shown.length}</span>}
    </span>
  );
}
