import { useState } from "preact/hooks";
import { useGet } from "../api";
import { t } from "../i18n";
import { type Key, useKeys } from "../keys";
import { entityUrl, factUrl, go } from "../router";
import { Dialog } from "./Dialog";
import { Said } from "./Said";

interface Names {
  entities: [string, string, string[]][];
}
interface Line {
  label: string;
  beside: string;
  run: () => void;
}

const MOST = 12;
const FACT_ID = /^[\p{L}\p{N}-]+\/[\p{L}\p{N}-]+-\d+$/u;

// The nearer the beginning the words stand, the better; 0 where one does not stand at all.
function likeness(words: string[], name: string): number {
  const text = name.toLowerCase();
  let sum = 1;
  for (const word of words) {
    const place = text.indexOf(word);
    if (place < 0) return 0;
    sum += 1 / (1 + place) + (text[place - 1] === undefined || /[\s/-]/.test(text[place - 1]!) ? 1 : 0);
  }
  return sum / (1 + text.length / 200);
}

export function Palette({ actions, close }: { actions: Key[]; close: () => void }) {
  const [asked, setAsked] = useState("");
  const [chosen, setChosen] = useState(0);
  const names = useGet<Names>("names", {}, { live: false });
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const then = (run: () => void) => () => {
    close();
    run();
  };
  const found = (names.data?.entities ?? [])
    .map((one) => ({ one, near: Math.max(...[one[0], one[1], ...one[2]].map((name) => likeness(words, name))) }))
    .filter(({ near }) => words.length > 0 && near > 0)
    .sort((first, second) => second.near - first.near)
    .slice(0, MOST);
  const lines: Line[] = [
    ...actions
      .filter((one) => likeness(words, one.label) > 0)
      .map((one) => ({ label: one.label, beside: one.key.replace("ctrl+", "Ctrl "), run: then(one.run) })),
    ...(FACT_ID.test(asked.trim())
      ? [{ label: asked.trim(), beside: t("shell.fact"), run: then(() => go(factUrl(asked.trim()))) }]
      : []),
    ...found.map(({ one }) => ({ label: one[1], beside: one[0], run: then(() => go(entityUrl(one[0]))) })),
    ...(words.length
      ? [{ label: t("shell.ask-this", { what: asked.trim() }), beside: "", run: then(() => go(`/ask?q=${encodeURIComponent(asked.trim())}`)) }]
      : []),
  ];
  const at = Math.min(chosen, lines.length - 1);
  const move = (by: number) => setChosen((at + by + lines.length) % lines.length);
  useKeys([], { modal: true });
  return (
    <Dialog label={t("shell.find")} close={close} class="palette">
      <div>
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={`palette-${at}`}
          aria-label={t("shell.find")}
          placeholder={t("shell.find-hint")}
          autofocus
          value={asked}
          onInput={(event) => {
            setAsked(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={(event) => {
            if (event.isComposing) return;
            if (event.key === "ArrowDown") move(1);
            else if (event.key === "ArrowUp") move(-1);
            else if (event.key === "Enter") lines[at]?.run();
            else return;
            event.preventDefault();
          }}
        />
        <ul id="palette-list" role="listbox" aria-label={t("shell.find")}>
          {lines.map((one, place) => (
            <li
              id={`palette-${place}`}
              role="option"
              aria-selected={place === at}
              ref={(line) => {
                if (place === at) line?.scrollIntoView({ block: "nearest" });
              }}
              onMouseMove={() => place !== at && setChosen(place)}
              onClick={one.run}
            >
              <Said text={one.label} most={200} />
              <span class="muted small mono">{one.beside}</span>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  );
}
