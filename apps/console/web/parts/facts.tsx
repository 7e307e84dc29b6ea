import { Paper, Table, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** A part of a page with a title. */
export function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Title order={2} mb="sm">
        {title}
      </Title>
      {children}
    </Paper>
  );
}

export type Facts = readonly (readonly [name: string, value: ReactNode])[];

/** Shows names with their values, and leaves out those without one. */
export function FactTable({ facts }: { readonly facts: Facts }) {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return (
    <Table withRowBorders={false} verticalSpacing={4} horizontalSpacing={0} className="facts">
      <Table.Tbody>
        {shown.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400} c="dimmed" w="9rem" style={{ verticalAlign: "top" }}>
              {name}
            </Table.Th>
            <Table.Td className="wrap">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
