/**
 * What readers search for, by the page that they want: words of other libraries and fields, and other spellings. The
 * search finds them as if they were in the title. They are not in the pages, where GitHub and npm would show them.
 */
export const searchWords: Readonly<Record<string, string>> = {
  ai: 'openai anthropic llm gpt claude model gateway tokens token limit mcp',
  'any-server': 'hook register preload without code changes zero code sveltekit astro strapi',
  'choose-your-number':
    'how many concurrent requests what limit access log sizing tuning capacity planning',
  'clients-that-give-up': 'client timeout abandoned requests goodput retry storm metastable',
  dashboard: 'live page admin ui monitoring',
  'default-limit':
    'load shedding adaptive concurrency autotune event loop lag event loop delay vegas gradient',
  distributed: 'shared limit all processes cluster wide global limit mutex leader lease fencing',
  errors: 'exception error code warning ERR_HEADGATE',
  frameworks: 'middleware integrations adapters',
  guards: 'out of memory heap memory limit health signal shed pressure database pool',
  guide:
    'getting started quick start quickstart install installation installing tutorial introduction hello world setup npm',
  'how-it-works': 'architecture internals concepts littles law',
  'limit-a-route':
    'throttle throttling max concurrent requests concurrency limit per route per endpoint expensive endpoint',
  'limit-per-tenant':
    'per user per ip per client per customer per account api key address quota plan multi-tenant saas x-forwarded-for trust proxy behind a proxy ddos',
  'limiters-in-handlers':
    'bulkhead isolation limit a function pool of workers render puppeteer image sharp pdf',
  'load-balancers':
    'load balancer weight edge api gateway least connections keda horizontal autoscaler',
  metrics:
    'prometheus grafana alerts opentelemetry otel tracing logging access logs monitoring statistics datadog',
  migrating:
    'rate limiting rate limiter rate limit token bucket sliding window requests per second requests per minute alternatives comparison versus p-limit p-queue bottleneck express-rate-limit express-queue overload-protection overload-protection toobusy toobusy-js async-sema under-pressure',
  'outbound-calls':
    'circuit breaker retry retries backoff retry budget hedging fetch undici axios api client third party',
  overload: 'spike traffic spike simulation',
  performance: 'benchmark overhead latency cost cpu',
  postgres: 'postgresql pg pgbouncer advisory lock',
  'priorities-and-fairness':
    'noisy neighbour noisy neighbor fair queueing fairness priority queue qos starvation round robin weighted lifo',
  production:
    'health check deploy checklist autoscaling serverless lambda vercel cloud run connection pool size',
  'queue-and-timeout':
    'backpressure waiting room backlog deadline timeouts queue size maxconn queue length fifo',
  'recipes-background-jobs': 'bullmq job queue worker cron batch sqs rabbitmq kafka consumer',
  'recipes-cancel-queries': 'cancel query postgres statement timeout abort signal',
  'recipes-fetch-proxy': 'reverse proxy api gateway forward upstream',
  'recipes-graphql-yoga': 'graphql apollo resolver',
  'recipes-kubernetes': 'docker container k8s pod liveness readiness probe prestop helm',
  'recipes-nginx-haproxy': 'load balancer limit_conn ingress',
  'recipes-processes': 'pm2 cluster mode workers multi core worker threads',
  'recipes-sse': 'server-sent events eventsource text/event-stream',
  redis: 'valkey ioredis node-redis redis cluster lua',
  'retry-storms':
    'metastable failure retry storm thundering herd backoff jitter got axios-retry p-retry resilience',
  'reject-well':
    '429 503 too many requests service unavailable retry-after header retry after seconds error page fallback degraded cors custom response',
  'rolling-restarts': 'zero downtime deployment blue green drain connection draining',
  runtimes: 'bun deno node version supported versions commonjs esm require',
  'several-limits': 'combine limits nested limits multiple middlewares composite',
  server: 'semaphore distributed lock http service python rust go other languages daemon',
  'shedding-by-utilization': 'elu event loop utilization watt platformatic maxEventLoopUtilization',
  'shut-down': 'graceful shutdown sigterm sigint exit close stop',
  'start-express': 'express middleware connect',
  'start-fastify': 'fastify plugin middleware',
  'start-hono': 'hono middleware',
  'start-koa': 'koa middleware koa-router',
  'start-nestjs': 'nest nestjs interceptor guard decorator module',
  'start-nextjs': 'nextjs app router vercel server actions',
  'start-without-a-framework': 'async function promise pool limit concurrency map',
  'streams-and-disconnects':
    'websocket long polling streaming abort signal client disconnected aborted request cancel',
  support: 'license semver stability version policy',
  testing: 'vitest jest supertest unit test mock fake timers',
  troubleshooting: 'memory leak stuck hang slow always 503 not working debug faq',
  'uploads-and-slow-clients':
    'slowloris slow loris file upload multipart multer body parser request timeout slow client',
  web: 'request response fetch handler elysia remix react router tanstack h3 nitro',
  workers: 'cloudflare durable objects edge isolate wrangler',
};
