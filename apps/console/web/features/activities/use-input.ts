import { useMemo, useState } from "react";
import type { ApiError } from "../../api/api-error.ts";
import { i18n } from "../../i18n.ts";
import { jsonProblem, parseJson } from "../../parts/json-field.tsx";
import type { Definition } from "../settings/definition.ts";
import { type Drafts, draftsOf, fieldsOf, inputOf, type Problems, placed } from "./input-schema.ts";

const none: Problems = new Map();

/** An input while it is entered, as a form or as a JSON text. */
export interface EnteredInput {
  /** Undefined if the schema has no form. */
  readonly fields: readonly Definition[] | undefined;
  readonly isForm: boolean;
  readonly drafts: Drafts;
  readonly text: string;
  readonly problems: Problems;
  /** Whether the text is JSON. The form is checked by {@link read}. */
  readonly isReady: boolean;
  readonly enter: (drafts: Drafts) => void;
  readonly type: (text: string) => void;
  /** Shows an input, as JSON if the form cannot show it. */
  readonly show: (input: unknown) => void;
  /** Changes between form and JSON with what was entered. Returns why the form cannot show it. */
  readonly turn: (isForm: boolean) => string | undefined;
  /** Returns the input, or undefined after it has shown what is wrong with it. */
  readonly read: () => { readonly input: unknown } | undefined;
  /** Shows the problems of a refusal at their fields. Returns those that belong to no field. */
  readonly refuse: (refusal: ApiError) => readonly string[];
}

/** The state of an input. A new schema begins with an empty input. */
export function useInput(schema: unknown): EnteredInput {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const initial = useMemo(() => (fields && draftsOf(fields, undefined)) ?? new Map(), [fields]);
  const [wantsForm, setWantsForm] = useState(true);
  const [edited, setEdited] = useState<{ readonly of: unknown; readonly drafts: Drafts }>();
  const [text, setText] = useState("");
  const [problems, setProblems] = useState<Problems>(none);
  const drafts = edited?.of === fields ? (edited?.drafts ?? initial) : initial;
  const isForm = wantsForm && fields !== undefined;

  const enter = (changed: Drafts): void => {
    setEdited({ of: fields, drafts: changed });
    setProblems(none);
  };
  const type = (typed: string): void => {
    setText(typed);
    setProblems(none);
  };
  const show = (input: unknown): void => {
    const shown = fields && draftsOf(fields, input ?? {});
    if (shown) enter(shown);
    setWantsForm(shown !== undefined);
    type(input == null ? "" : JSON.stringify(input, undefined, 2));
  };
  const turn = (toForm: boolean): string | undefined => {
    if (toForm) {
      if (jsonProblem(text) !== undefined) return i18n.t("The text is not JSON.");
      const shown = fields && draftsOf(fields, parseJson(text) ?? {});
      if (!shown) return i18n.t("The form has no fields for this value.");
      enter(shown);
    } else if (fields) {
      const read = inputOf(fields, drafts);
      if ("problems" in read && [...read.problems.values()].some(([problem]) => problem !== "is required")) {
        setProblems(read.problems);
        return i18n.t("A field has no valid value.");
      }
      type(JSON.stringify("input" in read ? read.input : valid(fields, drafts), undefined, 2));
    }
    setWantsForm(toForm);
    return undefined;
  };
  const read = (): { readonly input: unknown } | undefined => {
    if (!isForm || !fields) return { input: parseJson(text) };
    const result = inputOf(fields, drafts);
    if ("input" in result) return result;
    setProblems(result.problems);
    return undefined;
  };
  const refuse = ({ violations }: ApiError): readonly string[] => {
    const sorted = placed(isForm && fields ? fields : [], violations);
    setProblems(sorted.problems);
    return sorted.others.map(({ field, message }) => `${field} ${message}`);
  };
  const isReady = isForm || jsonProblem(text) === undefined;
  return { fields, isForm, drafts, text, problems, isReady, enter, type, show, turn, read, refuse };
}

/** Returns the properties that have a value, although another one is missing. */
function valid(fields: readonly Definition[], drafts: Drafts): object {
  const optional = fields.map((field) => ({ ...field, required: false }));
  const read = inputOf(optional, drafts);
  return "input" in read ? read.input : {};
}
