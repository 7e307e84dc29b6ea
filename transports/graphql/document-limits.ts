import { isExactNumber } from "@appserver/contracts/json";
import { invalidField, isAppError, textProblem } from "@appserver/kernel";
import { type DocumentNode, type FloatValueNode, GraphQLError, type IntValueNode, Kind, visit } from "graphql";
import { inexactNumber, maxNesting, nestedTooDeep, requireJsonInput } from "../json-input.ts";
import { requestError } from "./graphql-errors.ts";

const quote = '"'.charCodeAt(0);
const backslash = "\\".charCodeAt(0);
const lineFeed = "\n".charCodeAt(0);
const carriageReturn = "\r".charCodeAt(0);
const hash = "#".charCodeAt(0);
const opening = new Set([..."{[("].map((char) => char.charCodeAt(0)));
const closing = new Set([..."}])"].map((char) => char.charCodeAt(0)));

/** Throws INVALID_REQUEST if the text nests too deeply for the parser. Reads every character once. */
export function checkNesting(query: string): void {
  let depth = 0;
  for (let at = 0; at < query.length; at += 1) {
    const char = query.charCodeAt(at);
    // Letters, digits and spaces are most of any document.
    if (char > 0x7d || (char > 0x2f && char < 0x5b) || (char > 0x60 && char < 0x7b) || char === 0x20) continue;
    if (opening.has(char)) depth += 1;
    else if (closing.has(char)) depth -= 1;
    else if (char === hash) at = endOfLine(query, at);
    else if (char === quote) at = endOfString(query, at);
    if (depth > maxNesting) throw requestError(nestedTooDeep("the document"));
  }
}

/** Throws INVALID_REQUEST for a string with characters that the platform does not accept in texts, and for a number that would change. */
export function checkLiterals(document: DocumentNode): void {
  const checkNumber = (node: IntValueNode | FloatValueNode): void => {
    if (isExactNumber(node.value)) return;
    const { message, extensions } = requestError(inexactNumber("a number of the document"));
    throw new GraphQLError(message, { nodes: node, extensions });
  };
  visit(document, {
    [Kind.INT]: checkNumber,
    [Kind.FLOAT]: checkNumber,
    [Kind.STRING]: (node) => {
      const problem = textProblem(node.value);
      if (problem === undefined) return;
      const { message, extensions } = requestError(invalidField("a string of the document", problem));
      throw new GraphQLError(message, { nodes: node, extensions });
    },
  });
}

/** Applies the same two rules to variables, and limits their lists and objects. */
export function checkVariables(variables: Readonly<Record<string, unknown>>): void {
  try {
    requireJsonInput(variables, "variables");
  } catch (error) {
    throw isAppError(error) ? requestError(error) : error;
  }
}

function endOfLine(query: string, from: number): number {
  for (let at = from; at < query.length; at += 1) {
    const char = query.charCodeAt(at);
    if (char === lineFeed || char === carriageReturn) return at;
  }
  return query.length;
}

/**
 * Returns the index of the last character of the string that begins at `from`. For an unterminated string, returns that of the
 * text.
 */
function endOfString(query: string, from: number): number {
  const isBlock = query.startsWith('"""', from);
  for (let at = from + (isBlock ? 3 : 1); at < query.length; at += 1) {
    const char = query.charCodeAt(at);
    if (char === backslash) at += isBlock ? escapedQuotes(query, at) : 1;
    else if (char === quote && (!isBlock || query.startsWith('"""', at))) return isBlock ? at + 2 : at;
    else if (!isBlock && (char === lineFeed || char === carriageReturn)) return at;
  }
  return query.length;
}

/** Returns the number of characters that a backslash escapes in a block string, where it escapes only three quotes. */
function escapedQuotes(query: string, at: number): number {
  return query.startsWith('\\"""', at) ? 3 : 0;
}
