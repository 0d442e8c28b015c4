import { t } from "../i18n";
import { go } from "../router";
import { change } from "./Change";

// Starts a heartbeat, after its plan; the view that tells of it comes up.
export const runHeartbeat = (): void =>
  change({ verb: "heartbeat-run", title: t("shell.run-heartbeat"), args: {}, done: () => go("/heartbeat") });
