import { Anchor, Button, Code, Group, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { type Asset, assetsQuery } from "../../api/app-tab-queries.ts";
import { shownBytes } from "../../parts/bytes.ts";
import { ListTable } from "../../parts/list-table.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Empty, Failure, Loading } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";

const route = getRouteApi("/shell/console/apps/$name/assets");
const pageSize = 100;

export function AppAssets() {
  const { name } = route.useParams();
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: app, error, refetch } = useQuery(assetsQuery(name));
  const [most, setMost] = useState(pageSize);
  if (error && app === undefined) return <Failure error={error} retry={() => void refetch()} />;
  if (!app) return <Loading />;
  if (app.assets.length === 0)
    return <Empty title="No assets">The manifest of the app declares no files for a page of its own.</Empty>;
  const matching = app.assets.filter((each) => each.name.toLowerCase().includes((search ?? "").toLowerCase()));
  const bytes = app.assets.reduce((sum, { size }) => sum + size, 0);
  return (
    <Stack gap="sm">
      <SearchInput
        value={search}
        placeholder="Part of the name"
        onSearch={(text) => void navigate({ search: { search: text }, replace: true })}
      />
      <Text size="sm" c="dimmed" role="status">
        {matching.length} of {app.assets.length} files, {shownBytes(bytes)} in all. The platform verifies each file against its
        hash before it serves it.
      </Text>
      {matching.length === 0 && <Empty title="No file matches">Change the search.</Empty>}
      {matching.length > 0 && <AssetTable assets={matching.slice(0, most)} entry={app.ui?.entryAsset.name} />}
      {matching.length > most && (
        <Group justify="center">
          <Button variant="default" onClick={() => setMost(most + pageSize)}>
            Show more
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function AssetTable({ assets, entry }: { readonly assets: readonly Asset[]; readonly entry: string | undefined }) {
  return (
    <ListTable minWidth={820} columns={["File", "Type", { title: "Size", isNumber: true }, "SHA-256", "Signature"]}>
      {assets.map(({ name, mimeType, size, sha256, url, signatureAlgorithm }) => (
        <Table.Tr key={name}>
          <Table.Td className="wrap">
            <Group gap="xs">
              <Anchor href={url} target="_blank" rel="noopener" underline="always" size="sm">
                {name}
              </Anchor>
              {name === entry && <Status>entry</Status>}
            </Group>
          </Table.Td>
          <Table.Td>{mimeType}</Table.Td>
          <Table.Td ta="right" style={{ whiteSpace: "nowrap" }} title={`${size} bytes`}>
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
