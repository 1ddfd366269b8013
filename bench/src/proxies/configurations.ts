/** The ports of a server behind a proxy. */
export interface Address {
  readonly port: number;
  readonly agentPort: number;
}

/** The contents of nginx's `http` block, with at most `maxConnections` to the app. */
export function nginxLimit(
  port: number,
  [app]: readonly Address[],
  maxConnections: number,
): string {
  return `limit_conn_zone $server_name zone=app:1m;
    server {
      listen 127.0.0.1:${port};
      server_name app;
      location / {
        limit_conn app ${maxConnections};
        limit_conn_status 503;
        proxy_pass http://127.0.0.1:${app?.port};
      }
    }`;
}

/** The contents of nginx's `http` block, which prefers the server with the fewest connections. */
export function nginxLeastConn(port: number, apps: readonly Address[]): string {
  return `upstream apps {
      zone apps 64k;
      least_conn;
      ${apps.map((app) => `server 127.0.0.1:${app.port} max_fails=0;`).join('\n')}
      keepalive 64;
    }
    server {
      listen 127.0.0.1:${port};
      location / {
        proxy_pass http://apps;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
      }
    }`;
}

interface HaproxySettings {
  /** Lines of the section `defaults`. */
  readonly defaults?: readonly string[];
  /** Lines of the backend. */
  readonly backend?: readonly string[];
  /** Settings of each server. */
  readonly server?: (app: Address) => string;
}

/** HAProxy's configuration with these apps as its servers. */
export function haproxy(
  port: number,
  apps: readonly Address[],
  { defaults = [], backend = [], server = () => '' }: HaproxySettings = {},
): string {
  return [
    'defaults',
    '  mode http',
    '  timeout connect 1s',
    '  timeout client 30s',
    '  timeout server 10s',
    '  timeout queue 5s',
    ...defaults.map((line) => `  ${line}`),
    'frontend web',
    `  bind 127.0.0.1:${port}`,
    '  default_backend apps',
    'backend apps',
    ...backend.map((line) => `  ${line}`),
    ...apps.map((app, i) => `  server app${i} 127.0.0.1:${app.port} ${server(app)}`),
  ].join('\n');
}
