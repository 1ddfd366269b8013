import {
  CONCURRENCY_LIMIT,
  ConcurrencyLimit,
  ConcurrencyLimitModule,
  type HttpHandle,
} from '@headgate/nestjs';
import { Controller, Get, Inject, Module } from '@nestjs/common';
import { AppService } from './app.service';

export const reports = ConcurrencyLimit({ name: 'reports', limit: 1, queueLimit: 0 });

@Controller()
export class LimitedController {
  constructor(
    private readonly appService: AppService,
    @Inject(CONCURRENCY_LIMIT) private readonly limit: HttpHandle,
  ) {}

  @Get()
  getHolders(): string {
    return `${this.appService.getHello()} ${this.limit.holders}`;
  }

  @Get('reports')
  @reports
  async getReports(): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return 'A report';
  }
}

@Module({
  imports: [ConcurrencyLimitModule.forRootAsync({ useFactory: () => ({ limit: 1, queueLimit: 0 }) })],
  controllers: [LimitedController],
  providers: [AppService],
})
export class LimitedModule {}
