import { render } from "preact";
import { App, loadView, useTheme } from "./app";
import { useLanguage } from "./i18n";
import { listenToKeys } from "./keys";
import { listen } from "./live";
import { go, path, view } from "./router";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";

useTheme();
if (path.value === "/") go("/today", { replace: true });
const first = loadView(view.value).catch(() => undefined); // the page tries again
await Promise.all([useLanguage(), first]); // a view asks for what it shows as soon as it is there
listenToKeys();
listen();
render(<App />, document.getElementById("app")!);
