import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { type Plan, type Problem, Refused, type Result, apply, plan } from "../api";
import { has, language, t } from "../i18n";
import { useKeys } from "../keys";
import { phrase } from "../phrases";
import { Dialog } from "./Dialog";
import { Said } from "./Said";
import { Refusal } from "./States";
import { toast } from "./Toasts";

// One way to change anything: the plan is shown before it is done, and a form that is stale is refused with what changed.
export interface Field {
  name: string;
  label: string;
  value?: string;
  long?: boolean;
  optional?: boolean;
  differs?: boolean; // there is nothing to plan before somebody changes its value
  options?: { value: string; label: string }[];
  many?: boolean; // of the options: any number may be chosen
}

export interface Wanted {
  verb: string;
  title: string;
  args: Record<string, unknown>;
  seen?: string; // stamp of what was shown
  fields?: Field[];
  danger?: boolean;
  undo?: { verb: string; args: (result: Result) => Record<string, unknown> }; // where `undo` is not what takes it back
  done?: (result: Result) => void;
}

const wanted = signal<Wanted | null>(null);

export const change = (what: Wanted): void => {
  wanted.value = what;
};

export function ChangeDialog() {
  return wanted.value && <Form key={JSON.stringify(wanted.value.args)} what={wanted.value} />;
}

const PLAN_AFTER_MS = 250; // of rest while somebody types

function Form({ what }: { what: Wanted }) {
  const fields = what.fields ?? [];
  const [said, setSaid] = useState<Record<string, string>>(
    Object.fromEntries(fields.map((one) => [one.name, one.value ?? (one.many ? "" : (one.options?.[0]?.value ?? ""))])),
  );
  const [planned, setPlanned] = useState<Plan | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [seen, setSeen] = useState(what.seen);
  const [busy, setBusy] = useState(false);
  const close = () => (wanted.value = null);
  const given = fields.map((one) => [one.name, one.many ? listOf(said[one.name]) : said[one.name]!] as const);
  const args = { ...what.args, ...Object.fromEntries(given.filter(([, value]) => value.length > 0)) };
  const isLacking = (one: Field, value: string) => (!one.optional && !value) || (one.differs && value === one.value?.trim());
  const lacks = fields.some((one) => isLacking(one, said[one.name]?.trim() ?? ""));

  useEffect(() => {
    setPlanned(null);
    if (lacks) {
      setProblem(null);
      return;
    }
    let stale = false;
    const later = setTimeout(
      () => {
        plan(what.verb, args, seen)
          .then((found) => {
            if (stale) return;
            setPlanned(found);
            setProblem(null);
          })
          .catch((failed: unknown) => !stale && setProblem(said_of(failed)));
      },
      fields.length ? PLAN_AFTER_MS : 0,
    );
    return () => {
      stale = true;
      clearTimeout(later);
    };
  }, [JSON.stringify(args), seen]);

  const isStale = problem?.code === "Changed";
  const now = (problem?.details?.about as { text?: string; status?: string; stamp?: string }[] | undefined)?.[0];

  async function run() {
    if (!planned || busy) return;
    setBusy(true);
    try {
      const { result } = await apply(what.verb, args, planned.seen);
      close();
      const plain = "undoable" in result.details ? { verb: "undo", args: (one: Result) => ({ id: one.command_id }) } : null;
      const undo = what.undo ?? plain;
      toast(what.title, { done: true, ...(undo && { undo: () => apply(undo.verb, undo.args(result)) }) });
      what.done?.(result);
    } catch (failed) {
      setProblem(said_of(failed));
      setPlanned(null);
    } finally {
      setBusy(false);
    }
  }

  useKeys([{ key: "ctrl+enter", label: t("shell.apply"), run: () => void run() }], { modal: true });

  return (
    <Dialog label={what.title} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <h2>{what.title}</h2>
        {fields.map((one) => (
          <div class="stack tight" key={one.name}>
            {one.many ? (
              <Several field={one} value={said[one.name] ?? ""} set={(value) => setSaid({ ...said, [one.name]: value })} />
            ) : (
              <>
                <label for={`field-${one.name}`}>{one.label}</label>
                <Input field={one} value={said[one.name] ?? ""} set={(value) => setSaid({ ...said, [one.name]: value })} />
              </>
            )}
          </div>
        ))}
        <div aria-live="polite">
          {planned && (
            <div class="plan">
              {linesOf(planned).map((line) => (
                <Said text={line.trim()} class={line.startsWith(" ") ? "step" : ""} />
              ))}
            </div>
          )}
          {problem && (
            <div class="card problem stack tight" role="alert">
              {isStale ? <strong>{t("shell.stale")}</strong> : <Refusal of={problem} />}
              {isStale && now && (
                <span>
                  {phrase(now.status ?? "")}: <Said text={now.text ?? ""} />
                </span>
              )}
              {isStale && (
                <button type="button" class="button small" onClick={() => {
                  setProblem(null);
                  setSeen(now?.stamp);
                }}>
                  {t("shell.look-again")}
                </button>
              )}
            </div>
          )}
        </div>
        <div class="actions">
          <button type="button" class="button" onClick={close}>
            {t("shell.cancel")}
          </button>
          <button
            type="submit"
            class={`button ${what.danger ? "danger" : "primary"}`}
            disabled={!planned || busy}
            ref={(button) => {
              if (!fields.length && planned) button?.focus();
            }}
          >
            {t("shell.apply")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const linesOf = ({ lines, steps }: Plan): string[] => {
  if (!steps) return lines.map(phrase);
  if (!steps.length) return [t("plan.nothing")];
  return [t("plan.would"), ...steps.map(([code, said]) => `  ${t(`plan.${code}`, inWords(said))}`)];
};

// What a step says of states and phases stands in the reader's language as well; English sentences have their own words.
function inWords(said: Record<string, string | number>): Record<string, string | number> {
  if (language.value === "en") return said;
  const named = (key: string, name: unknown): string => (has(`${key}-${name}`) ? t(`${key}-${name}`) : String(name));
  const words = { ...said };
  for (const name of ["status", "trust"]) if (name in said) words[name] = named(`parts.${name}`, said[name]);
  if ("phases" in said) words.phases = String(said.phases).split(", ").map((one) => named("heartbeat.phase", one)).join(", ");
  return words;
}

const listOf = (value = ""): string[] => value.split("\n").filter(Boolean);

// Any number of the options, as boxes to tick; the value has those that are chosen, one a line.
function Several({ field, value, set }: { field: Field; value: string; set: (value: string) => void }) {
  const chosen = listOf(value);
  const turn = (one: string) =>
    set((chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one]).join("\n"));
  return (
    <fieldset class="several">
      <legend>{field.label}</legend>
      {field.options?.map((one) => (
        <label key={one.value} class="several-one">
          <input type="checkbox" checked={chosen.includes(one.value)} onChange={() => turn(one.value)} />
          <Said text={one.label} most={200} />
        </label>
      ))}
    </fieldset>
  );
}

function Input({ field, value, set }: { field: Field; value: string; set: (value: string) => void }) {
  const shared = { id: `field-${field.name}`, class: "field", value, dir: "auto" as const };
  if (field.options)
    return (
      <select {...shared} onChange={(event) => set(event.currentTarget.value)}>
        {field.options.map((one) => (
          <option value={one.value}>{one.label}</option>
        ))}
      </select>
    );
  return field.long ? (
    <textarea {...shared} autofocus onInput={(event) => set(event.currentTarget.value)} />
  ) : (
    <input {...shared} autofocus onInput={(event) => set(event.currentTarget.value)} />
  );
}

function said_of(failed: unknown): Problem {
  return failed instanceof Refused ? failed.problem : { code: "Error", message: String(failed), hint: "" };
}
