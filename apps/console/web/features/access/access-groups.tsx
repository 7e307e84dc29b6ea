import { Group as Row, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { i18n } from "../../i18n.ts";
import { Section } from "../../parts/facts.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { type Group, groupsQuery } from "./access-queries.ts";
import { SubjectLink } from "./subject-link.tsx";
import { useSteps } from "./use-steps.ts";

/** The groups of the identity provider, each with its members. */
export function AccessGroups() {
  const { data: groups, error, refetch } = useQuery(groupsQuery);
  if (error && groups === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (!groups) return <Loading />;
  if (groups.length === 0) {
    return (
      <Empty title={i18n.t("No groups")}>
        {i18n.t("The identity provider has told no groups yet. They are read when people sign in, or arrive by SCIM.")}
      </Empty>
    );
  }
  return (
    <Stack>
      <Text c="dimmed">
        {i18n.t(
          "The identity provider says who is in a group. Grant a role, a level of an app or a permission to a group, and all its members have it.",
        )}
      </Text>
      {groups.map((each) => (
        <GroupSection key={each.id} group={each} />
      ))}
    </Stack>
  );
}

function GroupSection({ group: { id, name, members } }: { readonly group: Group }) {
  const { shown, more } = useSteps(members);
  return (
    <Section title={i18n.t("Group {name}", { name })}>
      <Stack gap="sm">
        <Row>
          <SubjectLink subject={{ id, displayName: i18n.t("Permissions of {name}", { name }) }} />
        </Row>
        {members.length === 0 && <Text c="dimmed">{i18n.t("No members.")}</Text>}
        {shown.map((subject) => (
          <SubjectLink key={subject.id} subject={subject} />
        ))}
        <MoreButton query={more} />
      </Stack>
    </Section>
  );
}
