package io.tailrace.executor.webhook;

import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The body of an answer, which nobody reads or keeps. One that is short leaves its connection for the next request; a long one ends it. */
final class Unread implements HttpResponse.BodySubscriber<Unread> {

    private static final int SHORT = 64 << 10;

    private Flow.@Nullable Subscription subscription;
    private long passed;

    @Override
    public CompletionStage<Unread> getBody() {
        // Not waited for: the status has been read.
        return CompletableFuture.completedFuture(this);
    }

    @Override
    public void onSubscribe(Flow.Subscription toIt) {
        subscription = toIt;
        toIt.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            passed += buffer.remaining();
        }
        if (passed > SHORT && subscription != null) {
            subscription.cancel();
        }
    }

    @Override
    public void onError(Throwable failed) {
        // The status was there before.
    }

    @Override
    public void onComplete() {
        // Nothing is kept.
    }
}
