import { createRequire } from "node:module";
import { join, relative } from "node:path";
import type * as Typescript from "typescript";

const require = createRequire(import.meta.url);
const ts = require("typescript") as typeof Typescript;

/** One option, found in a call of `defineSection`. */
interface FoundOption {
  /** For example `cache.ttlMs`. */
  readonly name: string;
  readonly hasDefault: boolean;
}

type Definitions = ReadonlyMap<Typescript.Node, FoundOption>;

/** Only the apps may import the library of options. Rules over several options do not use them. */
const isRule = /-schema\.ts$/;

const chooses = "the table of drivers reads it by the name of the family";

/** Options that no code reads as a property, and the reasons. An entry that is not needed fails the check. */
export const readerExceptions: Readonly<Record<string, string>> = {
  "authorization.driver": chooses,
  "broker.driver": chooses,
  "cache.driver": chooses,
  "identity.driver": chooses,
  "platform.httpUrl": "containers receive its variable",
  "platform.grpcAddress": "containers receive its variable",
  "platform.graphqlUrl": "containers receive its variable",
  "platform.nodeEnv": "containers receive its variable",
};

/**
 * Checks the program of these entry files. Returns a line for each option that no code reads, and for each optional property
 * that receives an option with a default, because then the receiver has another default.
 */
export function optionProblems(
  root: string,
  entries: readonly string[],
  exceptions: Readonly<Record<string, string>> = {},
): readonly string[] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile) as { config: { compilerOptions: object } };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram({ rootNames: entries.map((entry) => join(root, entry)), options });
  const checker = program.getTypeChecker();
  const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes("/node_modules/"));
  const definitions: Definitions = new Map(own.flatMap((file) => definitionsIn(file)));
  const files = own.filter(({ fileName }) => fileName.includes("/apps/") && !isRule.test(fileName));
  const read = new Set<FoundOption>();
  const problems: string[] = [];
  const optionOf = (node: Typescript.Node): FoundOption | undefined => readOption(node, checker, definitions);
  for (const file of files) {
    visit(file, (node) => {
      const option = optionOf(node);
      if (option) read.add(option);
      if (!ts.isPropertyAssignment(node) && !ts.isShorthandPropertyAssignment(node)) return;
      const value = ts.isPropertyAssignment(node) ? node.initializer : node.name;
      const given = givenOption(value, checker, optionOf);
      if (!given?.hasDefault || !isOptional(node, checker)) return;
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      problems.push(
        `${relative(root, file.fileName)}:${line + 1}: ${node.name.getText()} receives ${given.name}, which has a default, and is optional`,
      );
    });
  }
  const unread = [...definitions.values()].filter((option) => !read.has(option)).map(({ name }) => name);
  return [
    ...unread.filter((name) => !Object.hasOwn(exceptions, name)).map((name) => `${name} has no reader`),
    ...Object.keys(exceptions)
      .filter((name) => !unread.includes(name))
      .map((name) => `${name} has a reader; remove it from the exceptions`),
    ...problems,
  ];
}

function visit(node: Typescript.Node, look: (node: Typescript.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

function definitionsIn(file: Typescript.SourceFile): readonly (readonly [Typescript.Node, FoundOption])[] {
  const found: (readonly [Typescript.Node, FoundOption])[] = [];
  visit(file, (node) => {
    if (!ts.isCallExpression(node) || node.expression.getText(file) !== "defineSection") return;
    const [section] = node.arguments;
    if (!section || !ts.isObjectLiteralExpression(section)) return;
    const yaml = propertyOf(section, "yaml")?.initializer;
    const options = propertyOf(section, "options")?.initializer;
    if (!yaml || !ts.isStringLiteral(yaml) || !options || !ts.isObjectLiteralExpression(options)) return;
    for (const option of options.properties) {
      if (!ts.isPropertyAssignment(option) || !ts.isObjectLiteralExpression(option.initializer)) continue;
      const hasDefault = propertyOf(option.initializer, "default") !== undefined;
      found.push([option, { name: `${yaml.text}.${option.name.getText(file)}`, hasDefault }]);
    }
  });
  return found;
}

function propertyOf(object: Typescript.ObjectLiteralExpression, name: string): Typescript.PropertyAssignment | undefined {
  return object.properties.filter(ts.isPropertyAssignment).find((property) => property.name.getText() === name);
}

/** Returns the option that `section.key` or `{ key } = section` reads. */
function readOption(node: Typescript.Node, checker: Typescript.TypeChecker, definitions: Definitions): FoundOption | undefined {
  const symbol = ts.isPropertyAccessExpression(node)
    ? checker.getSymbolAtLocation(node.name)
    : ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) && !node.dotDotDotToken
      ? checker.getTypeAtLocation(node.parent).getProperty((node.propertyName ?? node.name).getText())
      : undefined;
  for (const declaration of symbol?.declarations ?? []) {
    const option = definitions.get(declaration);
    if (option) return option;
  }
  return undefined;
}

/** Returns the option whose value an expression is: read here, or bound to a name before. */
function givenOption(
  value: Typescript.Expression,
  checker: Typescript.TypeChecker,
  optionOf: (node: Typescript.Node) => FoundOption | undefined,
): FoundOption | undefined {
  if (!ts.isIdentifier(value)) return optionOf(value);
  const symbol = ts.isShorthandPropertyAssignment(value.parent)
    ? checker.getShorthandAssignmentValueSymbol(value.parent)
    : checker.getSymbolAtLocation(value);
  const [declaration] = symbol?.declarations ?? [];
  return declaration && optionOf(declaration);
}

function isOptional(
  { parent, name }: Typescript.PropertyAssignment | Typescript.ShorthandPropertyAssignment,
  checker: Typescript.TypeChecker,
): boolean {
  const property = checker.getContextualType(parent)?.getNonNullableType().getProperty(name.getText());
  return property !== undefined && (property.flags & ts.SymbolFlags.Optional) !== 0;
}
