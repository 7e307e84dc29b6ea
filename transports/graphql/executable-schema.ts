import type { Call } from "@appserver/kernel";
import {
  assertValidSchema,
  buildSchema,
  type GraphQLFieldResolver,
  GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
} from "graphql";
import { dateTimeScalar, jsonScalar } from "./scalars.ts";

/** Resolvers of one service, by type and field. The schema checks that it has the types and fields. */
export type ServiceResolvers = Readonly<Record<string, object>>;

type FieldResolver = GraphQLFieldResolver<unknown, Call>;
type TypeResolvers = Readonly<
  Record<string, FieldResolver | { readonly subscribe: FieldResolver; readonly resolve?: FieldResolver }>
>;

/**
 * Creates the schema of the SDL with the services' resolvers. Throws for a root field without a resolver, for a resolver of a type
 * or field that the SDL does not have, and for two resolvers of one field.
 */
export function createExecutableSchema(sdl: string, services: readonly ServiceResolvers[]): GraphQLSchema {
  const schema = buildSchema(sdl, { noLocation: true });
  assertValidSchema(schema);
  adoptScalar(schema, jsonScalar);
  adoptScalar(schema, dateTimeScalar);
  for (const service of services) {
    for (const [typeName, resolvers] of Object.entries(service)) attach(schema, typeName, resolvers as TypeResolvers);
  }
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const { name, resolve, subscribe } of Object.values(root?.getFields() ?? {}))
      if (!resolve && !subscribe) throw new Error(`no resolver for ${root?.name}.${name}`);
  }
  return schema;
}

function attach(schema: GraphQLSchema, typeName: string, resolvers: TypeResolvers): void {
  const type = schema.getType(typeName);
  if (!(type instanceof GraphQLObjectType))
    throw new Error(`resolvers for ${typeName}, which is not an object type of the schema`);
  for (const [fieldName, resolver] of Object.entries(resolvers)) {
    const field = type.getFields()[fieldName];
    if (!field) throw new Error(`a resolver for ${typeName}.${fieldName}, which is not in the schema`);
    if (field.resolve ?? field.subscribe) throw new Error(`two resolvers for ${typeName}.${fieldName}`);
    if (typeof resolver === "function") {
      field.resolve = resolver;
    } else {
      field.subscribe = resolver.subscribe;
      // Sources yield the field's value, not an object around it.
      field.resolve = resolver.resolve ?? ((event: unknown) => event);
    }
  }
}

/** Gives a scalar of the SDL the behaviour of our implementation. */
function adoptScalar(schema: GraphQLSchema, behaviour: GraphQLScalarType): void {
  const scalar = schema.getType(behaviour.name);
  if (!(scalar instanceof GraphQLScalarType)) return;
  const { description, astNode, extensionASTNodes, specifiedByURL } = scalar;
  Object.assign(scalar, behaviour, { description, astNode, extensionASTNodes, specifiedByURL });
}
