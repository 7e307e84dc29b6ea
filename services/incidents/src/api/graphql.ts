import { objectOf } from "@appserver/contracts/graphql";
import type { Incident as IncidentNode, QueryIncidentsArgs } from "@appserver/contracts/graphql/types";
import { type Call, connectionOf } from "@appserver/kernel";
import type { Incident } from "../domain/incident.ts";
import { type IncidentsContext, incidentCursorOf, readIncidents } from "../use-cases/read-incidents.ts";

/** Resolvers of the part of the schema about incidents. They only translate. */
export function incidentResolvers(context: IncidentsContext) {
  return {
    Query: {
      incidents: async (_: unknown, { isOpen, first, after }: QueryIncidentsArgs, call: Call) => {
        const request = { isOpen: isOpen ?? undefined, first: first ?? undefined, after: after ?? undefined };
        const page = await readIncidents(context, request, call);
        return { ...connectionOf(page, after, { cursor: incidentCursorOf, node: incidentNode }), count: page.totalCount };
      },
    },
    IncidentConnection: {
      totalCount: (connection: { readonly count: () => Promise<number> }) => connection.count(),
    },
  };
}

function incidentNode(incident: Incident): IncidentNode {
  return objectOf(incident);
}
