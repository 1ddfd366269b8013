export { WebExchange } from './web-exchange.ts';
export { withFields } from './with-fields.ts';
