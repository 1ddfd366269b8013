import { RejectedError, StoreError } from '@headgate/core';
import { type ArgumentsHost, Catch } from '@nestjs/common';
import { BaseExceptionFilter } from '@nestjs/core';
import { RejectionException } from './limit-interceptor.ts';
import { responseOf } from './platform.ts';

/**
 * Responds to the errors of `acquire` and `run` as a limit does: `app.useGlobalFilters(new
 * RejectedFilter(app.getHttpAdapter()))`. Nest itself would omit `Retry-After`, and print each error with its stack.
 */
export class RejectedFilter extends BaseExceptionFilter {
  /** Sends the rejection, if `error` is one and this is HTTP; otherwise does what Nest does. */
  override catch(error: RejectedError | StoreError, host: ArgumentsHost): void {
    const { rejection, headers } = error as RejectedError;
    if (rejection === undefined || host.getType() !== 'http') return super.catch(error, host);
    const response = responseOf(host);
    if ((response.raw ?? response).headersSent !== true)
      for (const [name, value] of Object.entries(headers)) response.header(name, value);
    super.catch(new RejectionException(rejection, 503), host);
  }
}

Catch(RejectedError, StoreError)(RejectedFilter);
