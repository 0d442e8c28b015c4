import { render } from "preact";
import { App, useTheme } from "./app";
import { useLanguage } from "./i18n";
import { listenToKeys } from "./keys";
import { listen } from "./live";
import { go, path } from "./router";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";

useTheme();
if (path.value === "/") go("/today", { replace: true });
await useLanguage();
listenToKeys();
listen();
render(<App />, document.getElementById("app")!);
