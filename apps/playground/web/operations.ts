import { Kind, type OperationDefinitionNode, parse } from "graphql";

/** An operation of the editor. */
export interface Operation {
  /** Undefined for one without a name. */
  readonly name: string | undefined;
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the operations of a document. Undefined if it cannot be read. */
export function operationsOf(text: string): readonly Operation[] | undefined {
  try {
    return parse(text)
      .definitions.filter((each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION)
      .map(({ name, operation, loc }) => ({
        name: name?.value,
        kind: operation,
        from: loc?.start ?? 0,
        to: loc?.end ?? 0,
      }));
  } catch {
    return undefined;
  }
}
