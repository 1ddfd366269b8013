import { read } from './pages.ts';

export interface Query {
  readonly title: string;
  readonly expr: string;
}

export interface Dashboard {
  readonly uid: string;
  readonly __inputs: readonly { readonly name: string; readonly pluginId: string }[];
  readonly templating: {
    readonly list: readonly { name: string; definition?: string; query: unknown }[];
  };
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: {
      readonly x: number;
      readonly y: number;
      readonly w: number;
      readonly h: number;
    };
    readonly datasource: { readonly uid: string };
    readonly targets: readonly {
      readonly expr: string;
      readonly datasource: { readonly uid: string };
    }[];
  }[];
}

export const alertsFile = 'docs/observability/alerts.yml';

export function readDashboard(name: string): Dashboard {
  return JSON.parse(read(`docs/observability/${name}.dashboard.json`)) as Dashboard;
}

export function queriesOf({ panels }: Dashboard): Query[] {
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })));
}

/** Grafana replaces its variables before Prometheus parses the query. @param selected The limits that the user has selected. */
export function replaced(expr: string, selected = '.*'): string {
  return expr
    .replace(/\$__(rate_interval|range)/g, '5m')
    .replace(/\$(headgate_limit_name|semaphore)/g, selected)
    .replace(/\$\w+/g, '.*');
}
