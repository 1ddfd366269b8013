// NestJS: one limit for the app, another one for a handler, and none for the health check.
import 'reflect-metadata';
import { setTimeout as work } from 'node:timers/promises';
import { ConcurrencyLimit, ConcurrencyLimitModule } from '@headgate/nestjs';
import { Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const port = Number(process.env.PORT ?? 3000);

@Controller()
class AppController {
  @Get()
  async index() {
    await work(500); // placeholder for the real work
    return 'Hello\n';
  }

  @Post('reports')
  @ConcurrencyLimit({ name: 'reports', limit: 1, queueLimit: 0 })
  async report() {
    await work(500); // placeholder for the real work
    return 'A report\n';
  }

  @Get('health')
  @ConcurrencyLimit(false)
  health() {
    return 'ok';
  }
}

@Module({
  imports: [
    ConcurrencyLimitModule.forRoot({
      limit: 2,
      queueLimit: 2,
      queueTimeout: 2_000,
      maxHold: 30_000,
    }),
  ],
  controllers: [AppController],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
await app.listen(port);
console.log(`http://localhost:${port}`);
