import { signal } from "@preact/signals";
import { Refused } from "../api";
import { t } from "../i18n";
import { refusal } from "../phrases";
import { Said } from "./Said";

interface Toast {
  id: number;
  text: string;
  bad?: boolean;
  done?: boolean; // the text is what was asked for, and that is done
  undo?: () => Promise<unknown>;
}

const SHOWN_MS = 9000;
const toasts = signal<Toast[]>([]);
let undoable: Toast[] = []; // also when they are no longer shown, the latest last
const MOST_KEPT = 20;
let last = 0;

export function toast(text: string, how: Omit<Toast, "id" | "text"> = {}): void {
  const one = { id: ++last, text, ...how };
  toasts.value = [...toasts.peek().slice(-3), one];
  if (one.undo) undoable = [...undoable.slice(1 - MOST_KEPT), one];
  setTimeout(() => drop(one.id), SHOWN_MS);
}

const drop = (id: number): void => {
  toasts.value = toasts.peek().filter((one) => one.id !== id);
};

// Takes the latest thing back that can be; for the key `u`.
export function undoLatest(): void {
  const found = undoable.at(-1);
  if (found) void takeBack(found);
  else toast(t("shell.nothing-to-undo"));
}

async function takeBack(one: Toast): Promise<void> {
  drop(one.id);
  undoable = undoable.filter((other) => other.id !== one.id);
  try {
    await one.undo!();
    toast(t("shell.undone", { what: one.text }));
  } catch (failed) {
    toast(failed instanceof Refused ? refusal(failed.problem).message : String(failed), { bad: true });
  }
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((one) => (
        <div key={one.id} class={`toast ${one.bad ? "bad" : ""}`}>
          <Said text={one.done ? t("shell.done", { what: one.text }) : one.text} most={300} />
          {one.undo && (
            <button type="button" class="button small" onClick={() => void takeBack(one)}>
              {t("shell.undo")} <kbd>u</kbd>
            </button>
          )}
          <button type="button" class="button small quiet" aria-label={t("shell.close")} onClick={() => drop(one.id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
