import { autocompletion, closeBrackets, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintKeymap } from "@codemirror/lint";
import { EditorState, type Extension, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { graphql } from "cm6-graphql";

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword, tags.operatorKeyword], color: "var(--word)" },
  { tag: [tags.string, tags.number, tags.bool, tags.null, tags.atom], color: "var(--value)" },
  { tag: [tags.comment, tags.punctuation, tags.bracket], color: "var(--look-dim)" },
  { tag: [tags.propertyName, tags.attributeName, tags.variableName], color: "var(--look-link)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", color: "var(--look-text)", backgroundColor: "var(--look-card)" },
  "&.cm-focused": { outline: "2px solid var(--look-focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--look-mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--look-text)" },
  ".cm-cursor": { borderLeftColor: "var(--look-text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection": {
    backgroundColor: "var(--look-chosen)",
  },
  ".cm-gutters": { backgroundColor: "var(--look-card)", color: "var(--look-dim)", border: "none" },
  ".cm-tooltip": {
    backgroundColor: "var(--look-card)",
    color: "var(--look-text)",
    border: "1px solid var(--look-line)",
    borderRadius: "8px",
    overflow: "hidden",
  },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    backgroundColor: "var(--look-chosen)",
    color: "var(--look-on-chosen)",
  },
  ".cm-completionInfo": { maxWidth: "20rem", padding: "0.5rem" },
  ".cm-completionDetail": { color: "var(--look-dim)", fontStyle: "normal" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--look-error)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--look-raised)" },
  ".cm-placeholder": { color: "var(--look-dim)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--look-raised)", color: "var(--look-dim)", border: "none" },
});

interface EditorOptions {
  readonly parent: Element;
  readonly label: string;
  readonly text: string;
  readonly extensions: Extension;
}

function editor({ parent, label, text, extensions }: EditorOptions): EditorView {
  const state = EditorState.create({
    doc: text,
    extensions: [
      codeFolding(),
      foldGutter(),
      bracketMatching(),
      syntaxHighlighting(colours),
      look,
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      keymap.of([...defaultKeymap, ...foldKeymap]),
      extensions,
    ],
  });
  return new EditorView({ state, parent });
}

interface InputOptions {
  readonly parent: Element;
  readonly label: string;
  readonly text: string;
  readonly onRun: () => void;
  readonly onChange: (view: EditorView) => void;
}

/** What every editor has in which one types. Escape and Tab leave it, as the library says to users of screen readers. */
function typing({ onRun, onChange }: InputOptions): Extension {
  const run = () => {
    onRun();
    return true;
  };
  return [
    Prec.highest(
      keymap.of([
        { key: "Mod-Enter", run },
        { key: "Ctrl-Enter", run },
      ]),
    ),
    history(),
    drawSelection(),
    indentOnInput(),
    closeBrackets(),
    autocompletion(),
    keymap.of([...completionKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
    EditorView.updateListener.of(({ docChanged, selectionSet, view }) => {
      if (docChanged || selectionSet) onChange(view);
    }),
  ];
}

export interface QueryOptions extends InputOptions {
  /** A user asked for the documentation of a type with the modifier key. */
  readonly onShowType: (name: string, field: string | undefined) => void;
}

/** Returns an editor for operations. The schema follows with `updateSchema`. */
export function queryEditor(options: QueryOptions): EditorView {
  const language = graphql(undefined, {
    onShowInDocs: (field, type, parent) => options.onShowType(parent ?? type ?? "", field),
  });
  return editor({ ...options, extensions: [lineNumbers(), typing(options), language] });
}

/** Returns an editor for JSON. */
export function jsonEditor(options: InputOptions): EditorView {
  return editor({ ...options, extensions: [typing(options), json()] });
}

/** Returns a view of JSON. */
export function jsonView(parent: Element, label: string): EditorView {
  return editor({
    parent,
    label,
    text: "",
    extensions: [json(), EditorState.readOnly.of(true), placeholder("The response to an operation appears here.")],
  });
}

export function setText(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
