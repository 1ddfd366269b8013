import { concurrencyLimit, createLimiter } from '@headgate/express';
import { MiddlewareConsumer, Module, NestModule } from '@nestjs/common';
import { AppController } from './app.controller';
import { AppService } from './app.service';

export const limiter = createLimiter({ name: 'app', limit: 1, queueLimit: 0 });

@Module({
  imports: [],
  controllers: [AppController],
  providers: [AppService],
})
export class AppModule implements NestModule {
  configure(consumer: MiddlewareConsumer) {
    consumer.apply(concurrencyLimit({ limits: [{ limiter }] })).forRoutes('*');
  }
}
