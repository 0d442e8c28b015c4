import { signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

// Keys of what is shown now. The latest view or dialog that wants a key has it; while somebody types, none is taken but
// those with Ctrl, and Escape, which leaves the field where nothing else wants it.
export interface Key {
  key: string; // as KeyboardEvent.key says it; "ctrl+k" with Ctrl or ⌘; "g t" one after the other
  label: string;
  run: () => void;
}

const layers = signal<{ keys: Key[]; modal: boolean }[]>([]);

export function shownKeys(): Key[] {
  const found = new Map<string, Key>();
  for (const layer of [...layers.value].reverse()) {
    for (const one of layer.keys) if (!found.has(one.key)) found.set(one.key, one);
    if (layer.modal) break;
  }
  return [...found.values()];
}

// A layer keeps its place however often what it belongs to is drawn anew. `below` is that of the page itself: a view that
// is drawn together with it comes first otherwise, and would be the one beneath.
export function useKeys(keys: Key[], how: { modal?: boolean; below?: boolean } = {}): void {
  const layer = useRef({ keys, modal: how.modal ?? false }).current;
  useLayoutEffect(() => {
    layer.keys = keys;
    tellKeys();
  });
  useLayoutEffect(() => {
    layers.value = how.below ? [layer, ...layers.peek()] : [...layers.peek(), layer];
    tellKeys();
    return () => {
      layers.value = layers.peek().filter((one) => one !== layer);
      tellKeys();
    };
  }, []);
}

// Says in the document which keys are listened to now, for programs that press them.
function tellKeys(): void {
  document.documentElement.dataset.keys = shownKeys()
    .map((one) => one.key.replace(" ", "-"))
    .join(" ");
}

function types(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return !!element?.closest?.("input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
}

const SECOND_MS = 1500; // for which the first of two keys is kept
let first = { key: "", at: 0 };

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.altKey || event.isComposing) return;
    const withCtrl = event.ctrlKey || event.metaKey;
    const name = withCtrl ? `ctrl+${event.key.toLowerCase()}` : event.key;
    if (types(event.target) && !withCtrl && event.key !== "Escape") return;
    const onButton = (event.target as Element | null)?.closest?.("a, button, summary, [role=button], [role=tab]");
    if (onButton && (name === "Enter" || name === " ")) return;
    const known = shownKeys();
    const both = event.timeStamp - first.at < SECOND_MS ? `${first.key} ${name}` : name;
    const found = known.find((one) => one.key === both) ?? known.find((one) => one.key === name);
    first = { key: "", at: 0 };
    if (!found) {
      if (event.key === "Escape" && types(event.target)) (event.target as HTMLElement).blur(); // the keys are the view's again
      if (known.some((one) => one.key.startsWith(`${name} `))) first = { key: name, at: event.timeStamp };
      return;
    }
    event.preventDefault();
    found.run();
  });
}
