import { Button, Group } from "@mantine/core";

interface MoreProps {
  readonly query: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; fetchNextPage(): unknown };
}

/** Loads the next page of a list, if there is one. */
export function MoreButton({ query }: MoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <Group justify="center" mt="md">
      <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
        Show more
      </Button>
    </Group>
  );
}
