import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";

/** The size of a document, computed before it is validated or run. */
export interface Measure {
  /** 1 for each field. Fields in a list with `first` count that many times. */
  readonly cost: number;
  /** The part of the cost that lists cause. */
  readonly listed: number;
  /** Number of fields with fragments spread, each counted once. */
  readonly fields: number;
  /** Depth of nested fields. */
  readonly depth: number;
  readonly aliases: number;
}

type Variables = Readonly<Record<string, unknown>>;

/** The value of `first` if neither the request nor the schema has one (docs/interface/graphql.md#limits). */
const defaultFirst = 50;

const nothing: Measure = { cost: 0, listed: 0, fields: 0, depth: 0, aliases: 0 };

/**
 * Returns the largest measure of any operation and fragment of the document. Every fragment is measured once, so that cycles
 * and fragments that double each other cost no more than reading the document. Introspection counts as one field; its
 * permission is checked elsewhere.
 */
export function measureDocument(schema: GraphQLSchema, document: DocumentNode, variables: Variables): Measure {
  return new Measurement(schema, document, variables).all();
}

/** Returns whether the measure depends on variables. */
export function hasVariableFirst(document: DocumentNode): boolean {
  return document.definitions.some(
    (definition) => definition.kind === "OperationDefinition" && (definition.variableDefinitions?.length ?? 0) > 0,
  );
}

class Measurement {
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  readonly #variables: Variables;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  /** Undefined while the fragment is being measured: then it is a cycle, which validation refuses. */
  readonly #measured = new Map<string, Measure | undefined>();
  #defaults: Variables = {};

  constructor(schema: GraphQLSchema, document: DocumentNode, variables: Variables) {
    this.#schema = schema;
    this.#document = document;
    this.#variables = variables;
    for (const definition of document.definitions) {
      if (definition.kind === "FragmentDefinition") this.#fragments.set(definition.name.value, definition);
    }
  }

  all(): Measure {
    let largest = nothing;
    for (const definition of this.#document.definitions) {
      if (definition.kind === "OperationDefinition") largest = max(largest, this.#operation(definition));
    }
    for (const name of this.#fragments.keys()) largest = max(largest, this.#fragment(name));
    return largest;
  }

  #operation(operation: OperationDefinitionNode): Measure {
    this.#measured.clear();
    this.#defaults = Object.fromEntries(
      (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
        defaultValue?.kind === "IntValue" ? [[variable.name.value, Number(defaultValue.value)]] : [],
      ),
    );
    return this.#selections(operation.selectionSet, this.#schema.getRootType(operation.operation) ?? undefined);
  }

  #selections(set: SelectionSetNode, type: GraphQLOutputType | undefined): Measure {
    let total = nothing;
    for (const selection of set.selections) {
      if (selection.kind === "Field") total = add(total, this.#field(selection, type));
      else if (selection.kind === "FragmentSpread") total = add(total, this.#fragment(selection.name.value));
      else
        total = add(total, this.#selections(selection.selectionSet, this.#typeOf(selection.typeCondition?.name.value) ?? type));
    }
    return total;
  }

  #fragment(name: string): Measure {
    if (this.#measured.has(name)) return this.#measured.get(name) ?? nothing;
    const fragment = this.#fragments.get(name);
    if (!fragment) return nothing;
    this.#measured.set(name, undefined);
    const measure = this.#selections(fragment.selectionSet, this.#typeOf(fragment.typeCondition.name.value));
    this.#measured.set(name, measure);
    return measure;
  }

  #field(node: FieldNode, parent: GraphQLOutputType | undefined): Measure {
    const aliases = node.alias ? 1 : 0;
    const name = node.name.value;
    const field = fieldOf(parent, name);
    const isList = field !== undefined && isListType(getNullableType(field.type));
    if (!node.selectionSet || name === "__schema" || name === "__type") {
      return { cost: 1, listed: isList ? 1 : 0, fields: 1, depth: 1, aliases };
    }
    const below = this.#selections(node.selectionSet, field ? getNamedType(field.type) : undefined);
    // In a connection the edges repeat `first` times, `pageInfo` and `totalCount` occur once.
    const repeated = isList ? below.cost : below.listed;
    const cost = 1 + below.cost + (this.#multiplier(node, field) - 1) * repeated;
    return {
      cost,
      listed: isList ? cost : 0,
      fields: below.fields + 1,
      depth: below.depth + 1,
      aliases: below.aliases + aliases,
    };
  }

  #multiplier(node: FieldNode, field: GraphQLField<unknown, unknown> | undefined): number {
    const definition = field?.args.find(({ name }) => name === "first");
    if (!definition) return 1;
    const value = node.arguments?.find(({ name }) => name.value === "first")?.value;
    const given =
      value?.kind === "Variable"
        ? this.#variable(value.name.value)
        : value?.kind === "IntValue"
          ? Number(value.value)
          : undefined;
    const first = given ?? defaultOf(definition);
    return typeof first === "number" && first >= 1 ? first : 1;
  }

  #variable(name: string): unknown {
    return this.#variables[name] ?? this.#defaults[name];
  }

  #typeOf(name: string | undefined): GraphQLOutputType | undefined {
    const type = name === undefined ? undefined : this.#schema.getType(name);
    return isCompositeType(type) ? type : undefined;
  }
}

function fieldOf(parent: GraphQLOutputType | undefined, name: string): GraphQLField<unknown, unknown> | undefined {
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

function defaultOf(argument: GraphQLArgument): number {
  const literal = argument.astNode?.defaultValue;
  return literal?.kind === "IntValue" ? Number(literal.value) : defaultFirst;
}

function add(left: Measure, right: Measure): Measure {
  return {
    cost: left.cost + right.cost,
    listed: left.listed + right.listed,
    fields: left.fields + right.fields,
    depth: Math.max(left.depth, right.depth),
    aliases: left.aliases + right.aliases,
  };
}

function max(left: Measure, right: Measure): Measure {
  return {
    cost: Math.max(left.cost, right.cost),
    listed: Math.max(left.listed, right.listed),
    fields: Math.max(left.fields, right.fields),
    depth: Math.max(left.depth, right.depth),
    aliases: Math.max(left.aliases, right.aliases),
  };
}
