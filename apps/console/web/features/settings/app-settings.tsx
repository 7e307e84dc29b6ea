import { isPlatformSetting } from "@appserver/contracts/settings/platform-keys";
import { Alert, Code, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { appQuery } from "../../api/queries.ts";
import { useViewer } from "../../api/viewer.ts";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty, Failure, Loading, Needs } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { loadRules } from "./check-value.ts";
import { SettingField, type Source } from "./field.tsx";
import { FormActions } from "./form-actions.tsx";
import { MergeNotice } from "./merge-notice.tsx";
import { isSameValue } from "./same-value.ts";
import { type AppSettings as Settings, settingsQuery, sourcesQuery } from "./settings-queries.ts";
import { problemsOf, useSettingsForm } from "./use-settings-form.ts";

const route = getRouteApi("/shell/console/apps/$name/settings");

export function AppSettings() {
  return (
    <Needs permission="settings:read">
      <Loaded />
    </Needs>
  );
}

function Loaded() {
  const { name } = route.useParams();
  const { data: app } = useQuery(appQuery(name));
  const { data, error, refetch } = useQuery({
    ...settingsQuery(app?.id ?? ""),
    enabled: app !== undefined && app !== null,
    refetchOnWindowFocus: "always",
  });
  if (data) return <Form key={data.appId} settings={data} displayName={app?.displayName ?? name} />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  return data === null ? <Empty title="No settings">The app was deleted.</Empty> : <Loading />;
}

function Form({ settings, displayName }: { readonly settings: Settings; readonly displayName: string }) {
  const [state, dispatch] = useSettingsForm(settings);
  const { search = "" } = route.useSearch();
  const { permissions } = useViewer();
  const mayWrite = permissions.includes("settings:write");
  const sourceOf = useSources(state.base);
  const { base, edits, problems } = state;
  const shown = base.definitions.filter(
    ({ key, description }) =>
      edits.has(key) || problems.has(key) || `${key} ${description}`.toLowerCase().includes(search.toLowerCase()),
  );
  return (
    <Stack component="form" aria-label="Settings" onSubmit={(event) => event.preventDefault()}>
      <Conditions settings={base} />
      {!mayWrite && (
        <Text c="dimmed">
          You lack <Code>settings:write</Code>: you can see these settings, but not change them.
        </Text>
      )}
      <Search search={search} />
      <Text size="sm" c="dimmed">
        Version {base.version}
        {base.updatedAt && (
          <>
            , changed <Time at={base.updatedAt} /> by {base.updatedBy ?? "the platform"}
          </>
        )}
      </Text>
      <MergeNotice state={state} dispatch={dispatch} />
      {shown.length === 0 && <Empty title="No setting matches">Change the search.</Empty>}
      {shown.map((definition) => {
        const { key } = definition;
        return (
          <SettingField
            key={key}
            definition={definition}
            stored={base.values[key]}
            source={sourceOf(key)}
            edit={edits.get(key)}
            problems={problems.get(key) ?? []}
            isReadOnly={!mayWrite || (isPlatformSetting(key) && !permissions.includes("app:install"))}
            onEdit={(edit) => dispatch({ kind: "edit", definition, edit })}
            onRevert={() => dispatch({ kind: "revert", key })}
            onCheck={() => void loadRules().then(() => dispatch({ kind: "check", key }))}
          />
        );
      })}
      {mayWrite && (
        <FormActions
          state={state}
          dispatch={dispatch}
          displayName={displayName}
          problemsOf={(key) => problemsOf(state, key)}
          hasStored={base.definitions.some(({ key }) => sourceOf(key) === "stored")}
        />
      )}
    </Stack>
  );
}

/** Returns where the value of a setting is from. It asks the platform about stored values that are equal to their default. */
function useSources(settings: Settings): (key: string) => Source {
  const { definitions, values, secretsSet } = settings;
  const unclear = definitions.flatMap(({ key, default: value }) =>
    value !== undefined && isSameValue(values[key], value) ? [key] : [],
  );
  const { data: stored } = useQuery(sourcesQuery(settings, unclear));
  return (key) => {
    if (secretsSet.includes(key) || stored?.has(key)) return "stored";
    if (values[key] === undefined) return "not set";
    return unclear.includes(key) ? "default" : "stored";
  };
}

function Conditions({ settings: { conditions } }: { readonly settings: Settings }) {
  const failed = conditions.filter(({ status }) => status === "False");
  if (failed.length === 0) return null;
  return (
    <Alert color="yellow" variant="outline" title="Stored settings have problems">
      {failed.map(({ type, message }) => (
        <Text key={type} size="sm" className="wrap">
          {message}
        </Text>
      ))}
    </Alert>
  );
}

function Search({ search }: { readonly search: string }) {
  const navigate = route.useNavigate();
  return (
    <SearchInput
      value={search}
      placeholder="Part of the name or the description"
      onSearch={(text) => void navigate({ search: { search: text }, replace: true })}
    />
  );
}
