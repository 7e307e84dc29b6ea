import type { Tuple } from "@appserver/kernel/ports";
import { storePath } from "./bootstrap-store.ts";
import { higherConsistency } from "./consistency.ts";
import type { OpenFgaClient } from "./openfga-client.ts";

export interface TupleFilter {
  readonly user?: string;
  readonly relation?: string;
  readonly object?: string;
}

/** Returns the stored tuples that match the filter. Sends several requests if OpenFGA does not accept the filter as one. */
export async function readTuples(
  client: OpenFgaClient,
  storeId: string,
  types: readonly string[],
  filter: TupleFilter,
): Promise<readonly Tuple[]> {
  const tuples: Tuple[] = [];
  for (const key of questionsFor(filter, types)) {
    let page: string | undefined;
    do {
      const body = {
        ...(key === undefined ? {} : { tuple_key: key }),
        page_size: 100,
        consistency: higherConsistency,
        ...(page === undefined ? {} : { continuation_token: page }),
      };
      const answer = await client.call<TuplesPage>({ path: `${storePath(storeId)}/read`, body });
      tuples.push(...(answer.tuples ?? []).map(({ key: { user, relation, object } }) => ({ user, relation, object })));
      page = answer.continuation_token || undefined;
    } while (page !== undefined);
  }
  return tuples.filter((tuple) => matches(tuple, filter));
}

interface TuplesPage {
  readonly tuples: readonly { readonly key: Tuple }[];
  readonly continuation_token: string;
}

/** Splits the filter: OpenFGA accepts an object, or a user with an object's type, or an empty filter for everything. */
function questionsFor({ user, relation, object }: TupleFilter, types: readonly string[]): (TupleFilter | undefined)[] {
  const rest = { ...(user === undefined ? {} : { user }), ...(relation === undefined ? {} : { relation }) };
  if (object !== undefined && !object.endsWith(":")) return [{ ...rest, object }];
  if (user === undefined) return [undefined];
  return (object === undefined ? types.map((type) => `${type}:`) : [object]).map((type) => ({ ...rest, object: type }));
}

function matches(tuple: Tuple, { user, relation, object }: TupleFilter): boolean {
  return (
    (user === undefined || tuple.user === user) &&
    (relation === undefined || tuple.relation === relation) &&
    (object === undefined || tuple.object === object || (object.endsWith(":") && tuple.object.startsWith(object)))
  );
}
