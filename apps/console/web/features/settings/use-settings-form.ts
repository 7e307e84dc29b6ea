import { useReducer } from "react";
import { i18n } from "../../i18n.ts";
import type { Definition } from "./definition.ts";
import { type Draft, draftOf, entered, isSameDraft } from "./draft.ts";
import { isSameValue } from "./same-value.ts";
import type { AppSettings } from "./settings-queries.ts";

/** What the user changed about a setting: a draft, or its stored value is to be removed. */
export type Edit = Draft | "remove";

export interface FormState {
  /** What is stored, as far as it is known. */
  readonly base: AppSettings;
  readonly edits: ReadonlyMap<string, Edit>;
  /** Problems by key. */
  readonly problems: ReadonlyMap<string, readonly string[]>;
  /** Keys that others changed while the form had edits. */
  readonly changedByOthers: readonly string[];
  /** Those of them that are also edited here, and wait for a decision. */
  readonly overlaps: readonly string[];
  readonly failure: string | undefined;
}

export type FormAction =
  | { readonly kind: "edit"; readonly definition: Definition; readonly edit: Edit }
  | { readonly kind: "revert"; readonly key: string }
  | { readonly kind: "discard" }
  | { readonly kind: "keep"; readonly key: string }
  | { readonly kind: "loaded"; readonly settings: AppSettings }
  | { readonly kind: "saved"; readonly settings: AppSettings }
  | { readonly kind: "check"; readonly key: string }
  | { readonly kind: "refused"; readonly problems: FormState["problems"]; readonly failure: string | undefined };

export function useSettingsForm(settings: AppSettings) {
  const [state, dispatch] = useReducer(reduce, settings, fresh);
  // Settings that were read again: after a change by others, a conflict, or an upgrade of the app. A response that was sent before
  // the last save is older than what the form has.
  if (state.base !== settings && settings.version >= state.base.version) dispatch({ kind: "loaded", settings });
  return [state, dispatch] as const;
}

function fresh(base: AppSettings): FormState {
  return { base, edits: new Map(), problems: new Map(), changedByOthers: [], overlaps: [], failure: undefined };
}

function reduce(state: FormState, action: FormAction): FormState {
  switch (action.kind) {
    case "edit": {
      const { key } = action.definition;
      const before = draftOf(action.definition, state.base.values[key]);
      const isBack = action.edit !== "remove" && isSameDraft(action.edit, before);
      return isBack ? without(state, key) : { ...without(state, key), edits: new Map(state.edits).set(key, action.edit) };
    }
    case "revert":
      return decided(without(state, action.key), action.key);
    case "keep":
      return decided(state, action.key);
    case "discard":
    case "saved":
      return fresh(action.kind === "saved" ? action.settings : state.base);
    case "loaded":
      return merged(state, action.settings);
    case "check": {
      const problems = problemsOf(state, action.key);
      return {
        ...state,
        problems: problems.length > 0 ? new Map(state.problems).set(action.key, problems) : removed(state.problems, action.key),
      };
    }
    case "refused":
      return { ...state, problems: action.problems, failure: action.failure };
  }
}

function removed<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

function without(state: FormState, key: string): FormState {
  return { ...state, edits: removed(state.edits, key), problems: removed(state.problems, key) };
}

function decided(state: FormState, key: string): FormState {
  return { ...state, overlaps: state.overlaps.filter((each) => each !== key) };
}

/** Takes over what others changed. Keeps every edit, and lists those of settings that others changed too. */
function merged(state: FormState, base: AppSettings): FormState {
  const definitions = new Map(base.definitions.map((definition) => [definition.key, definition]));
  const changed = base.definitions.map(({ key }) => key).filter((key) => !isSameStored(state.base, base, key));
  const edits = new Map(
    [...state.edits].filter(([key, edit]) => {
      const definition = definitions.get(key);
      if (!definition) return false;
      return edit === "remove" || definition.isSecret || !isSameDraft(edit, draftOf(definition, base.values[key]));
    }),
  );
  if (edits.size === 0) return fresh(base);
  return {
    ...state,
    base,
    edits,
    problems: new Map([...state.problems].filter(([key]) => edits.has(key))),
    changedByOthers: [...new Set([...state.changedByOthers, ...changed])],
    overlaps: [...new Set([...state.overlaps, ...changed])].filter((key) => edits.has(key)),
    failure: undefined,
  };
}

function isSameStored(before: AppSettings, after: AppSettings, key: string): boolean {
  return (
    isSameValue([before.values[key]], [after.values[key]]) && before.secretsSet.includes(key) === after.secretsSet.includes(key)
  );
}

/** Returns the problems of an edit, by the rules of the server. */
export function problemsOf({ base, edits }: Pick<FormState, "base" | "edits">, key: string): readonly string[] {
  const definition = base.definitions.find((each) => each.key === key);
  const edit = edits.get(key);
  if (!definition || edit === undefined) return [];
  const result = edit === "remove" ? removal(definition) : entered(definition, edit);
  return "problems" in result ? result.problems : [];
}

function removal({ required, default: value }: Definition) {
  return required && value === undefined ? { problems: [i18n.t("is required and has no default")] } : { value: null };
}

/** Returns the update that stores all edits. They must have no problems. */
export function updateOf({ base, edits }: FormState): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    base.definitions.flatMap((definition) => {
      const edit = edits.get(definition.key);
      if (edit === undefined) return [];
      const result = edit === "remove" ? { value: null } : entered(definition, edit);
      return "value" in result ? [[definition.key, result.value] as const] : [];
    }),
  );
}
