import { readFileSync } from "node:fs";
import ts from "typescript";

/** Attributes that no person reads. */
const codeAttributes = new Set(
  "className to href type variant color c size id key role style component rel autoComplete pattern method src withinPortal dateTime scope name value tone kind verb permission data-kind data-tone data-autofocus lang target values components".split(
    " ",
  ),
);
const codeProperties =
  /^(?:className|to|queryKey|type|pattern|role|variant|color|id|key|path|href|tone|icon|style|kind|d|viewBox|fontFamily|fontFamilyMonospace|method|credentials)$/;
/** Functions whose texts no person reads, and those that translate. */
const codeCalls =
  /^(?:t|getRouteApi|lazyRouteComponent|fetch|RegExp|TypeError|querySelector(?:All)?|getElementById|addEventListener|removeEventListener|setAttribute|getAttribute|createElement|includes|startsWith|endsWith|split|replace|replaceAll|match|test|matchMedia|\w+Format|setProperty|getItem|setItem|removeItem|append|set|get|has|createPolicy|CustomEvent|closest|indexOf)$/;
/** Modules whose errors say to the developer of an app what is wrong with its page. They also run in frames, without catalogues. */
const ofDevelopers = /features\/hosting\/(?:check-scripts|federation|frame|load-module|remote-entry)\.ts$/;
/** Names that are the same in every language. */
const names = new Set([
  "long task",
  "Appserver",
  "appserver restore",
  "English",
  "Deutsch",
  "JavaScript",
  "Enter",
  "Escape",
  "Webhook",
  "Slack",
  "Node.js",
  "Tab",
  "Home",
  "End",
]);

/** Returns the texts in a module of the console that a person reads and that are not taken from a catalogue, each with its line. */
export function untranslatedIn(path: string): readonly string[] {
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const add = (node: ts.Node, text: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    found.push(`${path}:${line + 1}: ${text.trim().replaceAll(/\s+/g, " ")}`);
  };
  const visit = (node: ts.Node): void => {
    if (isCode(node) || (ts.isThrowStatement(node) && ofDevelopers.test(path))) return;
    if (ts.isJsxText(node)) {
      if (/[A-Za-z]{2}/.test(node.text.replaceAll(/&\w+;/g, ""))) add(node, node.text);
    } else if (isText(node)) {
      const text = textOf(node);
      if (isReadable(text.trim()) || isInsteadOfMessage(node)) add(node, text);
      if (ts.isTemplateExpression(node)) for (const { expression } of node.templateSpans) visit(expression);
    } else ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return found;
}

/** Whether a part of a module has no texts for people, or takes them from a catalogue. */
function isCode(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isBinaryExpression(node)) return /^(?:===|!==)$/.test(node.operatorToken.getText());
  if (ts.isJsxAttribute(node)) return codeAttributes.has(node.name.getText()) && !hasFunction(node);
  if (ts.isJsxElement(node)) return node.openingElement.tagName.getText() === "Code" && node.children.every(ts.isJsxText);
  if (ts.isStringLiteral(node) && ts.isJsxAttribute(node.parent)) return isOfTrans(node.parent);
  if (ts.isPropertyAssignment(node)) return codeProperties.test(node.name.getText()) && isText(node.initializer);
  if (ts.isElementAccessExpression(node.parent)) return node !== node.parent.expression;
  return isText(node) && isOfCode(node);
}

function isText(node: ts.Node): node is ts.StringLiteralLike | ts.TemplateExpression {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

/** Whether a text is a key, a case, or given to a function for code. */
function isOfCode(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isCaseClause(parent) || (ts.isPropertyAssignment(parent) && parent.name === node)) return true;
  if (!ts.isCallExpression(parent) && !ts.isNewExpression(parent)) return false;
  const called = parent.expression;
  return codeCalls.test(ts.isPropertyAccessExpression(called) ? called.name.text : called.getText());
}

function isOfTrans(attribute: ts.JsxAttribute): boolean {
  const element = attribute.parent.parent;
  return attribute.name.getText() === "id" && element.tagName.getText() === "Trans";
}

function hasFunction(attribute: ts.JsxAttribute): boolean {
  return attribute.initializer !== undefined && /=>/.test(attribute.initializer.getText());
}

function textOf(node: ts.StringLiteralLike | ts.TemplateExpression): string {
  if (!ts.isTemplateExpression(node)) return node.text;
  return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
}

/** Whether a text has words, and the other text of a choice is taken from a catalogue. */
function isInsteadOfMessage(node: ts.StringLiteralLike | ts.TemplateExpression): boolean {
  const { parent } = node;
  if (!ts.isConditionalExpression(parent) || !/[a-z]{2}/i.test(textOf(node))) return false;
  return [parent.whenTrue, parent.whenFalse].some((branch) => /^i18n\.t\(/.test(branch.getText()));
}

/** Whether a text has words, and is no name of code as a class or a path. */
function isReadable(text: string): boolean {
  if (names.has(text) || /^(?:(?:var|min)\(|\d+px|https?:|[a-z-]+\/|[a-z]+(?:[A-Z][a-z]*)+$|[a-z]+-[a-z -]+$)/.test(text))
    return false;
  return /^[A-Z][a-z]+(?:[ .,:;?!…-]|$)/.test(text) || /[a-z]{2,}[,.:;]? [A-Za-z…]|… [a-z]{3,}/.test(text);
}
