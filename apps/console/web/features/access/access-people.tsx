import { Trans } from "@lingui/react";
import { Group, List, Paper, Stack, Table, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { maxPeople, peopleQuery } from "../../api/subjects.ts";
import { i18n } from "../../i18n.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { Section } from "../../parts/facts.tsx";
import { ListTable } from "../../parts/list-table.tsx";
import { MoreButton } from "../../parts/more-button.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Initials } from "../../parts/who.tsx";
import { type Held, heldQuery, rolesQuery, type Subject } from "./access-queries.ts";
import { Chain } from "./chain.tsx";
import { useAppNamesOf } from "./grant-names.ts";
import { PersonAccountSection } from "./person-account.tsx";
import { RevokeButton } from "./revoke-button.tsx";
import { directGrants, grantText, subjectName, tupleKey } from "./tuple-text.ts";
import { useSteps } from "./use-steps.ts";
import { hasPersonId, useSubject } from "./use-subject.ts";

const route = getRouteApi("/shell/console/access/");

/** Finds people, and shows what one of them, an app or a role holds, and why. */
export function AccessPeople() {
  const { search, subject } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Stack>
      <SearchInput
        label={i18n.t("Find a person")}
        value={search}
        placeholder={i18n.t("Name, sign-in address or id")}
        onSearch={(text) =>
          void navigate({
            // Who was chosen after the text was typed stays chosen.
            search: (now) => ({ search: text, subject: now.subject === subject ? undefined : now.subject }),
            replace: true,
          })
        }
      />
      {subject ? <Holdings key={subject} id={subject} search={search} /> : <People search={search ?? ""} />}
    </Stack>
  );
}

function People({ search }: { readonly search: string }) {
  const { data: people, error, isFetching } = useQuery({ ...peopleQuery(search), placeholderData: keepPreviousData });
  if (error) return <Unsearchable message={error.message} search={search} />;
  if (!people) return <Loading />;
  if (people.length === 0 && !isFetching) {
    return (
      <Empty title={i18n.t("No person matches")}>
        {i18n.t("Names match by their beginning or as a whole. Change the search.")}
      </Empty>
    );
  }
  return (
    <Paper withBorder p="md">
      <List listStyleType="none" spacing="sm" aria-label={i18n.t("People")}>
        {people.map((person) => (
          <List.Item key={person.id}>
            <span className="who" title={person.id}>
              <Initials id={person.id} name={subjectName(person)} />
              <PageLink to="/console/access" search={{ search: search || undefined, subject: person.id }} underline="always">
                {subjectName(person)}
              </PageLink>
            </span>
          </List.Item>
        ))}
      </List>
      {people.length === maxPeople && (
        <Text c="dimmed" mt="sm">
          {i18n.t("These are the first {maxPeople}. Search for others by name, sign-in address or id.", { maxPeople })}
        </Text>
      )}
    </Paper>
  );
}

/** Without the list of people, an id can still be looked up. */
function Unsearchable({ message, search }: { readonly message: string; readonly search: string }) {
  const id = search.startsWith("user:") ? search : `user:${search}`;
  return (
    <Empty title={i18n.t("People cannot be searched")}>
      <Text>{message}</Text>
      <PageLink to="/console/access" search={{ search, subject: id }} underline="always">
        {i18n.t("Show what {id} holds", { id })}
      </PageLink>
    </Empty>
  );
}

interface HoldingsProps {
  readonly id: string;
  readonly search: string | undefined;
}

function Holdings({ id, search }: HoldingsProps) {
  const held = useQuery(heldQuery(id));
  const roles = useQuery(rolesQuery);
  const isPerson = hasPersonId(id);
  const subject = useSubject(id);
  const { error = roles.error } = held;
  return (
    <Stack>
      {search && (
        <PageLink to="/console/access" search={{ search }} size="sm" underline="always">
          {i18n.t("Back to the search")}
        </PageLink>
      )}
      {error && <Failure error={error} retry={() => void held.refetch()} />}
      {!held.data && !error && <Loading />}
      {isPerson && <PersonAccountSection id={id} name={subjectName(subject)} />}
      {held.data && <Direct subject={subject} held={held.data} roles={roles.data ?? []} />}
      {held.data && <HeldTable held={held.data} />}
    </Stack>
  );
}

interface DirectProps {
  readonly subject: Subject;
  readonly held: readonly Held[];
  readonly roles: Parameters<typeof directGrants>[2];
}

function Direct({ subject, held, roles }: DirectProps) {
  const grants = directGrants(subject.id, held, roles);
  const names = useAppNamesOf(grants);
  return (
    <Section title={i18n.t("Granted")}>
      {grants.length === 0 && (
        <Text c="dimmed">
          {i18n.t("Nothing is granted to {subject} directly. Use Grant access to change that.", {
            subject: subjectName(subject),
          })}
        </Text>
      )}
      <Stack gap="xs">
        {grants.map((tuple) => (
          <Group key={tupleKey(tuple)} justify="space-between" wrap="nowrap">
            <Text className="wrap">
              {tuple.user === "user:*"
                ? i18n.t("{what}, as everyone", { what: grantText(tuple, names) })
                : grantText(tuple, names)}
            </Text>
            {tuple.user === subject.id && <RevokeButton subject={subject} tuple={tuple} />}
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

function HeldTable({ held }: { readonly held: readonly Held[] }) {
  const { shown, more } = useSteps(held);
  return (
    <Section title={i18n.t("Permissions")}>
      {held.length === 0 && <Text c="dimmed">{i18n.t("No permission of the platform or of an app.")}</Text>}
      {held.length > 0 && (
        <ListTable minWidth={280} columns={[i18n.t("Permission"), i18n.t("Because of")]}>
          {shown.map(({ permission, appName, via }) => (
            <Table.Tr key={`${appName} ${permission}`}>
              <Table.Td className="wrap">
                <PageLink
                  to="/console/access/permissions"
                  search={{ permission, ...(appName && { app: appName }) }}
                  size="sm"
                  underline="always"
                >
                  {permission}
                </PageLink>
                <Text size="sm" c="dimmed">
                  {appName ? <Trans id="of <0/>" components={{ 0: <AppLink name={appName} /> }} /> : i18n.t("of the platform")}
                </Text>
              </Table.Td>
              <Table.Td className="wrap">
                <Chain via={via} />
              </Table.Td>
            </Table.Tr>
          ))}
        </ListTable>
      )}
      <MoreButton query={more} />
    </Section>
  );
}
