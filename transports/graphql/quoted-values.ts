import { type DocumentNode, type GraphQLError, isValueNode, Kind, print } from "graphql";

/**
 * Returns the message of an error that GraphQL itself created, without the quoted values of the request: they may be secrets,
 * and errors end up in the logs of clients. Names, types and kinds stay.
 */
export function withoutQuotedValues({ message, nodes }: GraphQLError, document: DocumentNode | undefined): string {
  const [, variable] = /^Variable "\$(\w+)" (?:got|has) invalid (?:default )?value/.exec(message) ?? [];
  if (variable !== undefined) return `Variable "$${variable}" must be a value of type ${typeOf(variable, document)}`;
  if (message.startsWith("Syntax Error: ")) return message.replace(/ (String|BlockString|Int|Float) ".*"\.$/s, " $1.");
  const node = nodes?.[0];
  if (node === undefined || !(isValueNode(node) || node.kind === Kind.OBJECT_FIELD)) return message;
  return message.replace(/(?:,? found)?:.*$/s, "").replace(/^Value ".*" does not exist/s, "The value does not exist");
}

function typeOf(variable: string, document: DocumentNode | undefined): string {
  const definitions = document?.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? (node.variableDefinitions ?? []) : [],
  );
  const definition = definitions?.find((node) => node.variable.name.value === variable);
  return definition ? print(definition.type) : "its own";
}
