import { type Signal, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { offline, useGet } from "./api";
import { LANGUAGES, type Language, ago, chooseLanguage, language, t, zone } from "./i18n";
import icon from "./icon.svg";
import { type Key, shownKeys, useKeys } from "./keys";
import { connected, running } from "./live";
import { ChangeDialog } from "./parts/Change";
import { Dialog } from "./parts/Dialog";
import { runHeartbeat } from "./parts/heartbeat";
import { Palette } from "./parts/Palette";
import { Empty } from "./parts/States";
import { Toasts, undoLatest } from "./parts/Toasts";
import { go, rest, view } from "./router";

// A view is a file of its own, loaded when it is shown first: views/NAME.tsx gives it as its default.
const views = import.meta.glob<ComponentType<{ rest: string }>>("./views/*.tsx", { import: "default" });

export interface Meta {
  version: string;
  name: string;
  owner: string | null;
  agent: string;
  reader: { session: string | null; agent: string | null } | null;
  zone: string;
  now: string;
  position: number;
  counts: Record<string, number>;
  waiting: number; // for a person, in the review
}

// The views with a place of their own, and the key that follows `g`.
const PLACES = [
  ["today", "t"], ["graph", "g"], ["ask", "a"], ["review", "r"], ["decay", "d"], ["heartbeat", "h"],
  ["domains", "o"], ["sessions", "s"], ["health", "e"],
] as const;
const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const theme = signal<Theme>((localStorage.getItem("engram.theme") as Theme | null) ?? "auto");
const palette = signal(false);
const help = signal(false);

export function useTheme(): void {
  if (theme.value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}

function chooseTheme(wanted: Theme): void {
  theme.value = wanted;
  localStorage.setItem("engram.theme", wanted);
  useTheme();
}

const toggle = (what: Signal<boolean>) => () => (what.value = !what.value);

export function App() {
  language.value; // drawn anew in another language
  const meta = useGet<Meta>("meta");
  const waits = meta.data?.waiting ?? 0;
  const places: Key[] = PLACES.map(([name, key]) => ({
    key: `g ${key}`,
    label: t(`shell.${name}`),
    run: () => go(`/${name}`),
  }));
  const common: Key[] = [
    { key: "ctrl+k", label: t("shell.find"), run: toggle(palette) },
    { key: "/", label: t("shell.find"), run: toggle(palette) },
    { key: "u", label: t("shell.undo"), run: undoLatest },
    { key: "?", label: t("shell.keys"), run: toggle(help) },
  ];
  const isOwners = meta.data && !meta.data.reader;
  if (isOwners) common.push({ key: "H", label: t("shell.run-heartbeat"), run: runHeartbeat });
  useKeys([...places, ...common], { below: true });
  useEffect(() => {
    zone.value = meta.data?.zone;
  }, [meta.data?.zone]);
  useEffect(() => {
    document.querySelector(".places [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
    document.title = `${t(`shell.${view.value}`)} · ${meta.data?.name ?? "Engram"}`;
  }, [view.value, meta.data?.name, language.value]);

  return (
    <div class="shell">
      <a class="skip button" href="#main">
        {t("shell.skip")}
      </a>
      <nav class="side" aria-label={t("shell.places")}>
        <a class="brand" href="/today">
          <img src={icon} alt="" />
          <span>
            Engram
            <small title={meta.data?.name}>{meta.data?.name}</small>
          </span>
        </a>
        <div class="places">
          {PLACES.map(([name]) => (
            <a href={`/${name}`} aria-current={view.value === name ? "page" : undefined}>
              {t(`shell.${name}`)}
              {name === "review" && waits > 0 && <span class="count">{waits}</span>}
            </a>
          ))}
        </div>
        <footer>
          <Choices />
          {meta.data?.reader && (
            <span>{t("shell.reader", { who: meta.data.reader.session ?? meta.data.reader.agent ?? "" })}</span>
          )}
          {meta.data && <span>Engram {meta.data.version}</span>}
        </footer>
      </nav>
      <header class="bar">
        <button type="button" class="button find" onClick={toggle(palette)}>
          {t("shell.find-hint")} <kbd>Ctrl K</kbd>
        </button>
        <span class="status" aria-live="polite">
          {running.value ? (
            <span class="badge good pulse">{t("shell.running", { since: ago(running.value) })}</span>
          ) : (
            !connected.value && <span class="badge warn">{t("shell.disconnected")}</span>
          )}
        </span>
        <button type="button" class="button small quiet" aria-label={t("shell.keys")} onClick={toggle(help)}>
          <kbd>?</kbd>
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        {offline.value && <p class="banner">{t("shell.offline")}</p>}
        <View name={view.value} rest={rest.value} />
      </main>
      {palette.value && <Palette actions={[...places, ...common.filter((one) => one.run !== undoLatest && one.key !== "/" && one.key !== "ctrl+k")]} close={() => (palette.value = false)} />}
      {help.value && <Keys places={places} close={() => (help.value = false)} />}
      <ChangeDialog />
      <Toasts />
    </div>
  );
}

// How the page looks and speaks; beside the places, and on a phone, which has no room there, with the keys.
function Choices() {
  return (
    <>
      <select
        aria-label={t("shell.theme")}
        value={theme.value}
        onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}
      >
        {THEMES.map((one) => (
          <option value={one}>{t(`shell.theme-${one}`)}</option>
        ))}
      </select>
      <select
        aria-label={t("shell.language")}
        value={language.value}
        onChange={(event) => void chooseLanguage(event.currentTarget.value as Language)}
      >
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option value={code}>{name}</option>
        ))}
      </select>
    </>
  );
}

const loaded: Record<string, ComponentType<{ rest: string }>> = {};

export async function loadView(name: string): Promise<void> {
  const of = await views[`./views/${name}.tsx`]?.();
  if (of) loaded[name] = of;
}

function View({ name, rest: after }: { name: string; rest: string }) {
  const [, setLoaded] = useState("");
  useEffect(() => {
    if (!loaded[name]) void loadView(name).then(() => setLoaded(name));
  }, [name]);
  if (!(`./views/${name}.tsx` in views))
    return (
      <div class="page">
        <Empty title={t("shell.nowhere")}>
          <a href="/today">{t("shell.today")}</a>
        </Empty>
      </div>
    );
  const Of = loaded[name];
  return Of ? <Of rest={after} /> : <div class="page" />;
}

function Keys({ places, close }: { places: Key[]; close: () => void }) {
  const now = shownKeys().filter((one) => !one.key.startsWith("g ") && one.label);
  return (
    <Dialog label={t("shell.keys")} close={close}>
      <div>
        <div class="row looks">
          <Choices />
        </div>
        <h2>{t("shell.keys")}</h2>
        <dl class="keys">
          {[...now, ...places].map((one) => (
            <>
              <dt>
                {one.key.split(/[ +](?=.)/).map((part) => (
                  <kbd>{part.replace("ctrl", "Ctrl")}</kbd>
                ))}
              </dt>
              <dd>{one.label}</dd>
            </>
          ))}
        </dl>
        <div class="actions">
          <button type="button" class="button" onClick={close}>
            {t("shell.close")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
