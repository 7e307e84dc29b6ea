/** A document of GraphQL with the types of its variables and its data. The member is for the compiler only. */
export type Document<Data, Variables> = string & { readonly __of?: (variables: Variables) => Data };
