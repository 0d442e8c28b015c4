import { t } from "../i18n";
import { type Wanted, change } from "./Change";
import type { SourceLine } from "./Source";

export interface Fact {
  id: string;
  entity: string;
  text: string;
  category: string;
  attribute: string | null;
  value: string | null;
  confidence: number;
  abstraction: string;
  tags: string[];
  related: string[];
  scope: string;
  trust: string;
  lineage: string;
  version: number;
  supersedes: string[];
  superseded_by: string | null;
  derived_from: string[];
  grounds?: { parts: number; standing: number }; // of what was made of others, in the view of an entity
  valid_from: string;
  valid_from_precision: string;
  valid_to: string | null;
  due_on: string | null;
  overdue_since: string | null;
  outdated_by?: string; // a promise that is over: the fact that says so
  recorded_at: string;
  known_to: string | null;
  status: string;
  tier: string;
  pinned: boolean;
  reason: string | null;
  was_wrong: boolean;
  access_count: number;
  last_accessed_at: string | null;
  confirm_count: number;
  last_confirmed_at: string | null;
  source: { session: string | null; turn: string | null };
  said: SourceLine;
  was?: string | null;
  stamp: string;
}

type Done = Pick<Wanted, "done">;
const about = (fact: Fact) => ({ args: { id: fact.id }, seen: fact.stamp });

// What can be done with a fact; each shows its plan before anything happens.
export const keep = (fact: Fact, how: Done = {}): void =>
  change({ verb: "confirm", title: t("parts.keep-this"), ...about(fact), ...how });

export const correct = (fact: Fact, how: Done = {}): void =>
  change({
    verb: "correct",
    title: t("parts.correct-this"),
    ...about(fact),
    fields: [{ name: "text", label: t("parts.correct-to"), value: fact.text, long: true, differs: true }],
    ...how,
  });

export const reject = (fact: Fact, how: Done = {}): void =>
  change({
    verb: "retract",
    title: t("parts.reject-this"),
    ...about(fact),
    fields: [{ name: "reason", label: t("parts.reject-why"), value: t("parts.reject-because") }],
    danger: true,
    ...how,
  });

export const pin = (fact: Fact): void =>
  change({ verb: fact.pinned ? "unpin" : "pin", title: t(fact.pinned ? "parts.unpin-this" : "parts.pin-this"), ...about(fact) });

export const forget = (fact: Fact, how: Done = {}): void =>
  change({
    verb: "forget",
    title: t("parts.forget-this"),
    ...about(fact),
    fields: [{ name: "reason", label: t("parts.forget-why"), value: t("parts.forget-because") }],
    danger: true,
    ...how,
  });

// When a fact is over by itself; the day on which a promise is due is no end.
export const endOf = (fact: Fact): string | null => (fact.due_on ? null : fact.valid_to);

// What is believed can be changed; what was replaced or taken back is history.
export const isLive = (fact: Fact): boolean => ["active", "planned", "ended"].includes(fact.status);
