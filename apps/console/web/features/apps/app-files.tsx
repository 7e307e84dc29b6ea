import { Trans } from "@lingui/react";
import { Anchor, Code, Group, Paper, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Asset, assetsQuery } from "../../api/app-tab-queries.ts";
import { i18n, locale } from "../../i18n.ts";
import { shownBytes } from "../../parts/bytes.ts";
import { ListTable } from "../../parts/list-table.tsx";
import { Failure, Loading } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";

const mostShown = 100;

/** The files of the app's frontend with their hashes, folded. */
export function AppFiles({ name }: { readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Paper withBorder px="md" py="xs" component="section" aria-label={i18n.t("Files of the frontend")}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="details-line">{i18n.t("Files of the frontend")}</summary>
        {isOpen && <Files name={name} />}
      </details>
    </Paper>
  );
}

function Files({ name }: { readonly name: string }) {
  const { data: app, error, refetch } = useQuery(assetsQuery(name));
  if (error && app === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (!app) return <Loading />;
  if (app.assets.length === 0) return <Text size="sm">{i18n.t("The manifest declares no files.")}</Text>;
  const bytes = app.assets.reduce((sum, { size }) => sum + size, 0);
  return (
    <Stack gap="xs" mt="xs">
      <Text size="sm" c="dimmed">
        {i18n.t(
          "{count, plural, one {# file} other {# files}}, {size} in all. The platform verifies each file against its hash before it serves it.",
          { count: app.assets.length, size: shownBytes(bytes) },
        )}
      </Text>
      <FileTable files={app.assets.slice(0, mostShown)} entry={app.ui?.entryAsset.name} />
      {app.assets.length > mostShown && (
        <Text size="sm" c="dimmed">
          <Trans
            id="These are the first {mostShown}. All of them: <0>appctl assets {name}</0>"
            values={{ mostShown, name }}
            components={{ 0: <Code /> }}
          />
        </Text>
      )}
    </Stack>
  );
}

function FileTable({ files, entry }: { readonly files: readonly Asset[]; readonly entry: string | undefined }) {
  return (
    <ListTable
      minWidth={820}
      columns={[i18n.t("File"), i18n.t("Type"), { title: i18n.t("Size"), isNumber: true }, "SHA-256", i18n.t("Signature")]}
    >
      {files.map(({ name, mimeType, size, sha256, url, signatureAlgorithm }) => (
        <Table.Tr key={name}>
          <Table.Td className="wrap">
            <Group gap="xs">
              <Anchor href={url} target="_blank" rel="noopener" underline="always" size="sm">
                {name}
              </Anchor>
              {name === entry && <Status>{i18n.t("entry")}</Status>}
            </Group>
          </Table.Td>
          <Table.Td>{mimeType}</Table.Td>
          <Table.Td
            ta="right"
            style={{ whiteSpace: "nowrap" }}
            title={i18n.t("{size} bytes", { size: size.toLocaleString(locale) })}
          >
            {shownBytes(size)}
          </Table.Td>
          <Table.Td className="wrap" maw={300}>
            <Code>{sha256}</Code>
          </Table.Td>
          <Table.Td style={{ whiteSpace: "nowrap" }}>{signatureAlgorithm}</Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  );
}
