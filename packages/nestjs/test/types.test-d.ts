import type { GateStats, Rejection } from '@headgate/core';
import {
  ConcurrencyLimit,
  ConcurrencyLimitModule,
  type ConcurrencyLimitOptions,
  timeLeft,
} from '@headgate/nestjs';
import type { CallHandler, DynamicModule, ExecutionContext } from '@nestjs/common';
import type { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { expectTypeOf } from 'vitest';

const reports = ConcurrencyLimit({
  limit: 1,
  key: (context) => {
    expectTypeOf(context).toEqualTypeOf<ExecutionContext>();
    return context.getClass().name;
  },
  queueTimeout: (context) => {
    expectTypeOf(context).toEqualTypeOf<ExecutionContext>();
    return context.getClass().name === 'Exports' ? 30_000 : undefined;
  },
  onReject: (rejection, context, next) => {
    expectTypeOf(rejection).toEqualTypeOf<Rejection>();
    expectTypeOf(context).toEqualTypeOf<ExecutionContext>();
    expectTypeOf(next).toEqualTypeOf<CallHandler>();
    return next.handle();
  },
});

expectTypeOf(reports.stats()).toExtend<GateStats>();

@reports
class Decorated {
  @ConcurrencyLimit(false)
  health() {}
}
expectTypeOf(Decorated).toBeConstructibleWith();

ConcurrencyLimitModule.forRoot({ queueTimeout: timeLeft({ max: 10_000 }) });
expectTypeOf(ConcurrencyLimitModule.forRoot()).toEqualTypeOf<DynamicModule>();
ConcurrencyLimitModule.forRootAsync({
  inject: ['settings'],
  useFactory: (settings: ConcurrencyLimitOptions) => settings,
});

// @ts-expect-error: misspelt
ConcurrencyLimit({ limit: 1, queuLimit: 1 });
// @ts-expect-error: true is neither options nor false
ConcurrencyLimit(true);

// The app's own types.
interface AuthRequest {
  user: { id: number; isPaid: boolean };
}
interface AuthContext extends ExecutionContext {
  readonly request: AuthRequest;
}
ConcurrencyLimit({
  limit: (context: AuthContext) => (context.request.user.isPaid ? 10 : 2),
  key: (context) => context.switchToHttp().getRequest<AuthRequest>().user.id,
  skip: (context: ExecutionContextHost) => context.getArgByIndex<AuthRequest>(0).user.isPaid,
});
// @ts-expect-error: a context is no request
ConcurrencyLimit({ limit: 1, key: (request: AuthRequest) => request.user.id });
// @ts-expect-error: nothing awaits a promise
ConcurrencyLimit({ limit: 1, key: async (context) => context.getClass().name });
