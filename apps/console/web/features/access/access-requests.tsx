import { Trans } from "@lingui/react";
import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type AccessRequest, openRequestsQuery } from "../../api/access-requests.ts";
import { i18n } from "../../i18n.ts";
import { AccessDecisionButtons, requestText } from "../../parts/access-decision.tsx";
import { AppLink } from "../../parts/app-link.tsx";
import { Command } from "../../parts/command.tsx";
import { FactTable } from "../../parts/facts.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { SubjectLink } from "./subject-link.tsx";

/** What people ask for and that waits for a decision. */
export function AccessRequests() {
  const { data, error, refetch } = useQuery(openRequestsQuery);
  if (error && !data) return <Failure error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (data.requests.length === 0)
    return (
      <Empty title={i18n.t("No request waits")}>
        <Trans
          id="People ask for access to apps on their home page, and with <0>appctl access ask</0>. Their requests appear here."
          components={{ 0: <Command /> }}
        />
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
          {i18n.t(
            "{others, plural, one {# earlier request waits} other {# earlier requests wait}}. They appear when these are decided.",
            { others },
          )}
        </Text>
      )}
    </Stack>
  );
}

function Request({ request }: { readonly request: AccessRequest }) {
  const { person, appName, appDisplayName, reason, requestedAt } = request;
  return (
    <Paper withBorder p="md" component="article" aria-label={requestText(request)}>
      <Group justify="space-between" align="flex-start">
        <div className="wrap">
          <Title order={2} size="h3" mb="xs">
            {requestText(request)}
          </Title>
          <FactTable
            facts={[
              [i18n.t("Reason"), reason],
              [
                i18n.t("Person"),
                <SubjectLink key="person" subject={{ id: person.id, displayName: person.displayName ?? null }} />,
              ],
              [i18n.t("App"), <AppLink key="app" name={appName} displayName={appDisplayName} />],
              [i18n.t("Asked"), <Time key="asked" at={requestedAt} />],
            ]}
          />
        </div>
        <AccessDecisionButtons request={request} />
      </Group>
    </Paper>
  );
}
