import { signal } from "@preact/signals";

// Words of the page in four languages, in files by view: messages/LANGUAGE/VIEW.json, of which a test wants the same keys
// in each. A text that counts has forms of Intl.PluralRules.
type Message = string | Record<string, string>;
type Values = Record<string, string | number>;

export const LANGUAGES = { en: "English", ru: "Русский", zh: "中文", ko: "한국어" } as const;
export type Language = keyof typeof LANGUAGES;

type Files = Record<string, Record<string, Message>>;
const files = import.meta.glob<Files>("./messages/*/all.ts", { import: "default" });
const loaded: Partial<Record<Language, Record<string, Message>>> = {};

export const language = signal<Language>("en");
export const zone = signal<string | undefined>(undefined); // of the workspace; undefined: the browser's

function preferred(): Language {
  const kept = localStorage.getItem("engram.language");
  const wanted = [kept, ...navigator.languages].map((one) => one?.slice(0, 2).toLowerCase());
  return (wanted.find((one) => one && one in LANGUAGES) as Language | undefined) ?? "en";
}

async function load(wanted: Language): Promise<void> {
  if (loaded[wanted]) return;
  const words: Record<string, Message> = {};
  for (const [file, messages] of Object.entries(await files[`./messages/${wanted}/all.ts`]!())) {
    const name = file.replace(/^.*\/|\.json$/g, "");
    for (const [key, value] of Object.entries(messages)) words[`${name}.${key}`] = value;
  }
  loaded[wanted] = words;
}

export async function useLanguage(wanted: Language = preferred()): Promise<void> {
  await load(wanted);
  language.value = wanted;
  document.documentElement.lang = wanted;
}

export async function chooseLanguage(wanted: Language): Promise<void> {
  localStorage.setItem("engram.language", wanted);
  await useLanguage(wanted);
}

// The keys of one file of messages, without its name.
export function messagesOf(file: string): string[] {
  const own = Object.keys(loaded[language.value] ?? {}).filter((key) => key.startsWith(`${file}.`));
  return own.map((key) => key.slice(file.length + 1));
}

// The reader's language as it is spoken where they are: its dates and numbers are written so.
export const locale = (): string => navigator.languages.find((one) => one.slice(0, 2).toLowerCase() === language.value) ?? language.value;

export function has(key: string): boolean {
  return loaded[language.value]?.[key] !== undefined;
}

export function t(key: string, values: Values = {}): string {
  const found = loaded[language.value]?.[key];
  if (found === undefined) return key;
  let text: string;
  if (typeof found === "string") text = found;
  else {
    const form = new Intl.PluralRules(language.value).select(Number(values.n ?? 0));
    text = found[form] ?? found.other ?? key;
  }
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : typeof value === "number" ? number(value) : value;
  });
}

export const number = (value: number): string => new Intl.NumberFormat(locale()).format(value);

export const percent = (value: number): string =>
  new Intl.NumberFormat(locale(), { style: "percent" }).format(value);

const moment = (said: string): Date => new Date(said.length === 10 ? `${said}T00:00:00` : said);

function format(how: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const named = zone.value ? { timeZone: zone.value } : {};
  try {
    return new Intl.DateTimeFormat(locale(), { ...named, ...how });
  } catch {
    return new Intl.DateTimeFormat(locale(), how); // a zone that the browser does not know
  }
}

export function day(said: string | null | undefined): string {
  if (!said) return "";
  const at = moment(said);
  const year = at.getFullYear() === new Date().getFullYear() ? {} : { year: "numeric" as const };
  return format({ day: "numeric", month: "short", ...year, ...(said.length === 10 && { timeZone: undefined }) }).format(at);
}

// A day, or a month, as exactly as it was said; all else stays as it is.
export function dayOrMonth(said: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(said)) return day(said);
  if (!/^\d{4}-\d\d$/.test(said)) return said;
  return new Intl.DateTimeFormat(locale(), { month: "short", year: "numeric" }).format(moment(`${said}-01`));
}

// Whether a moment is the beginning of a day in the workspace's zone: a day was named, and nobody said anything just then.
export const isWholeDay = (said: string): boolean =>
  said.length === 10 || format({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }).formatToParts(moment(said)).every((part) => part.type === "literal" || part.value === "00");

export function time(said: string | null | undefined): string {
  if (!said) return "";
  return format({ dateStyle: "medium", timeStyle: "short" }).format(moment(said));
}

export function ago(said: string | null | undefined): string {
  if (!said) return "";
  const seconds = (moment(said).getTime() - Date.now()) / 1000;
  const units: [Intl.RelativeTimeFormatUnit, number][] = [
    ["year", 31_536_000], ["month", 2_592_000], ["week", 604_800], ["day", 86_400], ["hour", 3600], ["minute", 60],
  ];
  const form = new Intl.RelativeTimeFormat(locale(), { numeric: "auto" });
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return form.format(Math.round(seconds / length), unit);
  }
  return form.format(0, "minute");
}

export function seconds(value: number): string {
  const unit = value < 60 ? "second" : value < 3600 ? "minute" : "hour";
  const size = value < 60 ? value : value < 3600 ? value / 60 : value / 3600;
  const digits = size < 10 ? 1 : 0;
  const how = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(locale(), how).format(size);
}
