import { language, messagesOf, t } from "./i18n";

// Sentences that the server says in English, as the command line does: plans, refusals, reports of runs, findings.
// messages/LANGUAGE/phrases.json has each as it is said, with {names} where it speaks of something. A name with a capital
// stands for words of Engram's own, which are sentences of that file in their turn; all others are left as they are.
interface Pattern {
  key: string;
  names: string[];
  form: RegExp;
}

const JOINTS = ["; then: ", "; ", ", "]; // between sentences that were said as one
const DEEPEST = 4; // sentences in sentences

let compiled: { of: string; patterns: Pattern[]; whole: Set<string> } | null = null;

function known(): { patterns: Pattern[]; whole: Set<string> } {
  if (compiled?.of === language.value) return compiled;
  const keys = messagesOf("phrases");
  const patterns = keys.filter((key) => key.includes("{")).map(patternOf);
  patterns.sort((a, b) => ownLetters(b.key) - ownLetters(a.key));
  compiled = { of: language.value, patterns, whole: new Set(keys) };
  return compiled;
}

const ownLetters = (key: string): number => key.replace(/\{\w+\}/g, "").length;

function patternOf(key: string): Pattern {
  const names: string[] = [];
  const form = key
    .split(/(\{\w+\})/)
    .map((part) => {
      if (!/^\{\w+\}$/.test(part)) return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      const name = part.slice(1, -1);
      names.push(name);
      return name === "n" || name === "m" ? "(\\d[\\d,]*)" : "(.+?)";
    })
    .join("");
  return { key, names, form: new RegExp(`^${form}$`, "s") };
}

// A sentence of Engram's in the reader's language; null: it is none that we know.
function translated(text: string, depth = 0): string | null {
  const { patterns, whole } = known();
  if (whole.has(text)) return t(`phrases.${text}`);
  if (depth > DEEPEST) return null;
  for (const { key, names, form } of patterns) {
    const found = form.exec(text);
    if (!found) continue;
    const values = namesIn(names, found, depth);
    if (values) return t(`phrases.${key}`, values);
  }
  for (const joint of JOINTS) {
    const parts = text.split(joint);
    if (parts.length < 2) continue;
    const said = parts.map((part) => translated(part, depth + 1));
    if (said.every((part) => part !== null)) return said.join("; ");
  }
  return null;
}

function namesIn(names: string[], found: RegExpExecArray, depth: number): Record<string, string> | null {
  const values: Record<string, string> = {};
  for (const [place, name] of names.entries()) {
    const value = found[place + 1]!;
    const said = /^[A-Z]/.test(name) ? translated(value, depth + 1) : value;
    if (said === null) return null;
    values[name] = said;
  }
  return values;
}

// What Engram said, in the reader's language; as it is, where others said it or the language is English.
export function phrase(text: string): string {
  if (language.value === "en" || !text) return text;
  const inner = text.trim();
  return text.replace(inner, () => translated(inner) ?? inner);
}

// Of a refusal: never in another language than the reader's. `original` is what was said where we know no words for it.
export function refusal(said: { code: string; message: string; hint: string }): { message: string; hint: string; original: string } {
  const { message, hint } = said;
  if (language.value === "en") return { message, hint, original: "" };
  const [known, advice] = [translated(message), isCommand(hint) ? hint : (translated(hint) ?? "")];
  return known === null
    ? { message: t("shell.refused"), hint: advice, original: message }
    : { message: known, hint: advice, original: "" };
}

export const isCommand = (hint: string): boolean => /^(engram|less|rm|cp|cat) [a-z-]+( |$)[^,;:.]*$/.test(hint);
