import { Group, Paper, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type AccessRequest, openRequestsQuery } from "../../api/access-requests.ts";
import { AccessDecisionButtons, requestText } from "../../parts/access-decision.tsx";
import { AppLink } from "../../parts/app-link.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { SubjectLink } from "./subject-link.tsx";

/** What people ask for and nobody has decided yet. */
export function AccessRequests() {
  const { data, error, refetch } = useQuery(openRequestsQuery);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (data.requests.length === 0)
    return (
      <Empty title="No request waits">
        People ask for access to apps on their home page, and with <code>appctl access ask</code>. Their requests appear here.
      </Empty>
    );
  const others = data.totalCount - data.requests.length;
  return (
    <Stack gap="sm">
      {data.requests.map((request) => (
        <Request key={request.id} request={request} />
      ))}
      {others > 0 && (
        <Text c="dimmed">
          {others === 1 ? "One earlier request waits." : `${others} earlier requests wait.`} They appear when these are decided.
        </Text>
      )}
    </Stack>
  );
}

function Request({ request }: { readonly request: AccessRequest }) {
  const { person, appName, access, reason, requestedAt } = request;
  return (
    <Paper withBorder p="md" component="article" aria-label={requestText(request)}>
      <Group justify="space-between" align="flex-start">
        <div className="wrap">
          <SubjectLink subject={{ id: person.id, displayName: person.displayName ?? null }} />
          <Text>
            asks for <b>{access}</b> of <AppLink name={appName} /> <Time at={requestedAt} />
          </Text>
          {reason && <Text c="dimmed">“{reason}”</Text>}
        </div>
        <AccessDecisionButtons request={request} />
      </Group>
    </Paper>
  );
}
