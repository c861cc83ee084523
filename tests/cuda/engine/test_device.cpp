// SPDX-License-Identifier: BSD-3-Clause
// What the engine asks of a device, and what it does when the device refuses: emulated.
#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "attention/networks.h"
#include "cuda/engine/emulated_device.h"
#include "cuda/engine/on_device.h"
#include "pcl_attention/devices.h"
#include "pcl_attention/error.h"
#include "support/compare.h"
#include "support/errors.h"

namespace pcl_attention::test {
namespace {

class CudaDevice : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(emulated_device().live, 0U);
    emulated_device() = {};
  }
  void TearDown() override {
    EXPECT_EQ(emulated_device().live, 0U);
    emulated_device() = {};
  }

  static ModelPtr model() { return make_random_model(small_config(), 3); }
};

TEST_F(CudaDevice, OneThatDoesNotRunThisBuildSaysWhichWouldBeRun) {
  EXPECT_EQ(cuda_devices().devices.at(0).fault, "");
  emulated_device().fault = "no kernel image";
  const CudaDevices found = cuda_devices();
  EXPECT_EQ(found.devices.at(0).compute_capability, "9.0");
  EXPECT_EQ(
      found.devices.at(0).fault,
      "device 0 is emulated, compute capability 9.0, this build has code for emulated: no kernel image");
}

TEST_F(CudaDevice, AllocatesForTheFirstFrameOfASizeAlone) {
  Encoder cuda = make_encoder(model(), Device::cuda);
  const FloatCloud large = random_cloud(300, 1, small_fields()), small = random_cloud(200, 2, small_fields());
  encode(cuda, large);
  const std::size_t before = emulated_device().allocations;
  encode(cuda, small);
  encode(cuda, large);
  EXPECT_EQ(emulated_device().allocations, before);
}

TEST_F(CudaDevice, OneSynchronisationPerFrameAndOneForItsOrder) {
  Encoder ordered = make_encoder(model(), Device::cuda),
          given = make_encoder(model(), Device::cuda, Curve::none);
  const FloatCloud cloud = random_cloud(100, 1, small_fields());
  const auto count = [&](Encoder& encoder) {
    const std::size_t before = emulated_device().synchronisations;
    encode(encoder, cloud);
    return emulated_device().synchronisations - before;
  };
  EXPECT_EQ(count(given), 1U);
  EXPECT_EQ(count(ordered), 2U);
}

TEST_F(CudaDevice, TooLittleMemoryIsAnErrorAndASmallerCloudIsRightAfterwards) {
  Encoder cuda = make_encoder(model(), Device::cuda), reference = make_encoder(model(), Device::reference);
  const FloatCloud small = random_cloud(60, 1, small_fields()), large = random_cloud(500, 2, small_fields());
  encode(cuda, small);
  emulated_device().free_bytes = 1000;
  const std::string message = message_of<DeviceError>([&] { encode(cuda, large); });
  EXPECT_TRUE(contains(message, "500 points")) << message;
  EXPECT_TRUE(contains(message, "bytes on device 0")) << message;
  EXPECT_LE(relative_l2(encode(cuda, small), encode(reference, small)), 1e-5);
  emulated_device().free_bytes = 1 << 30;
  EXPECT_LE(relative_l2(encode(cuda, large), encode(reference, large)), 1e-5);
}

TEST_F(CudaDevice, TheEstimateIsWhatAFrameTakes) {
  Encoder cuda = make_encoder(model(), Device::cuda, Curve::none);
  const std::size_t before = emulated_device().free_bytes;
  encode(cuda, random_cloud(400, 1, small_fields()));
  const double taken = static_cast<double>(before - emulated_device().free_bytes);
  const double estimate = static_cast<double>(cuda.memory_estimate(400));
  EXPECT_GE(estimate, taken);  // and the host's part
  EXPECT_LE(estimate, 2.0 * taken);
}

TEST_F(CudaDevice, EveryCallMayFailAndTheNextFrameIsRight) {
  const FloatCloud cloud = random_cloud(40, 1, small_fields()), more = random_cloud(70, 1, small_fields());
  for (std::size_t call = 1; call <= 200; ++call) {
    emulated_device().calls_until_fault = call;
    try {
      Encoder cuda = make_encoder(model(), Device::cuda);
      encode(cuda, cloud);
      encode(cuda, more);
      EXPECT_GT(call, 20U);
      emulated_device().calls_until_fault = 0;
      return;  // no call was left to fail
    } catch (const DeviceError& error) {
      EXPECT_TRUE(contains(error.what(), "on device 0")) << error.what();
      EXPECT_TRUE(contains(error.what(), "bytes")) << error.what();
    }
    EXPECT_EQ(emulated_device().live, 0U) << call;
  }
  FAIL() << "no frame went through";
}

TEST_F(CudaDevice, AnEncoderOutlivesAFault) {
  Encoder cuda = make_encoder(model(), Device::cuda);
  const FloatCloud cloud = random_cloud(40, 1, small_fields());
  const auto expected = encode(cuda, cloud);
  std::size_t faults = 0;
  for (std::size_t call = 1; call < 20; ++call) {
    emulated_device().calls_until_fault = call;
    try {
      encode(cuda, cloud);
    } catch (const DeviceError&) {
      ++faults;
    }
    emulated_device().calls_until_fault = 0;
    EXPECT_TRUE(same_bits(encode(cuda, cloud), expected)) << call;
  }
  EXPECT_GE(faults, 5U);
}

TEST_F(CudaDevice, ACloudOnTheDeviceTakesAWaitForBoxOrderAndRows) {
  Encoder ordered = make_encoder(model(), Device::cuda),
          given = make_encoder(model(), Device::cuda, Curve::none);
  const FloatCloud cloud = random_cloud(100, 1, small_fields());
  const auto count = [&](Encoder& encoder) {
    const std::size_t before = emulated_device().synchronisations;
    encode_on_device(encoder, cloud, nullptr);
    return emulated_device().synchronisations - before - 1;  // of the test
  };
  EXPECT_EQ(count(given), 2U);
  EXPECT_EQ(count(ordered), 3U);
}

TEST_F(CudaDevice, ACloudOnTheDeviceOutlivesAFault) {
  Encoder cuda = make_encoder(model(), Device::cuda);
  const FloatCloud cloud = random_cloud(40, 1, small_fields());
  const auto expected = encode_on_device(cuda, cloud, nullptr).rows;
  std::size_t faults = 0;
  for (std::size_t call = 1; call < 40; ++call) {
    emulated_device().calls_until_fault = call;
    try {
      encode_on_device(cuda, cloud, nullptr);
    } catch (const DeviceError&) {
      ++faults;
    }
    emulated_device().calls_until_fault = 0;
    EXPECT_TRUE(same_bits(encode_on_device(cuda, cloud, nullptr).rows, expected)) << call;
  }
  EXPECT_GE(faults, 20U);
}

TEST_F(CudaDevice, ACloudOnTheDeviceThatIsTooLargeIsAnErrorAndASmallerOneIsRight) {
  Encoder cuda = make_encoder(model(), Device::cuda);
  const FloatCloud small = random_cloud(60, 1, small_fields()), large = random_cloud(500, 2, small_fields());
  const auto expected = encode_on_device(cuda, small, nullptr).rows;
  const std::size_t held = std::size_t{500} * (small_fields().size() + 12) * sizeof(float) + 100;
  emulated_device().free_bytes = held;  // of the test: the cloud and its rows
  const std::string message = message_of<DeviceError>([&] { encode_on_device(cuda, large, nullptr); });
  EXPECT_TRUE(contains(message, "500 points")) << message;
  EXPECT_TRUE(contains(message, "bytes on device 0")) << message;
  emulated_device().free_bytes = std::size_t{1} << 30;
  EXPECT_TRUE(same_bits(encode_on_device(cuda, small, nullptr).rows, expected));
}

TEST_F(CudaDevice, SeveralEnginesInSeveralThreads) {
  const FloatCloud cloud = random_cloud(90, 1, small_fields());
  Encoder one = make_encoder(model(), Device::cuda, {}, 1);
  const auto expected = encode(one, cloud);
  std::vector<std::thread> threads;
  std::vector<char> same(3, 0);
  for (std::size_t i = 0; i < same.size(); ++i)
    threads.emplace_back([&, i] {
      Encoder mine = make_encoder(model(), Device::cuda, {}, 1);
      same[i] = same_bits(encode(mine, cloud), expected) && same_bits(encode(mine, cloud), expected);
    });
  for (std::thread& thread : threads) thread.join();
  for (const char one_is_same : same) EXPECT_TRUE(one_is_same != 0);
}

TEST_F(CudaDevice, ThreadLocalOwnersGiveBackAtTheEndOfTheirThread) {
  std::thread([] {
    thread_local const std::unique_ptr<Encoder> cuda =
        std::make_unique<Encoder>(make_encoder(model(), Device::cuda));
    encode(*cuda, random_cloud(20, 1, small_fields()));
  }).join();
}

/// The end of a process: static owners go when the driver has gone.
TEST(CudaDeviceDeathTest, OwnersMayOutliveTheDriver) {
  EXPECT_EXIT(
      {
        static const std::unique_ptr<Encoder> cuda =
            std::make_unique<Encoder>(make_encoder(make_random_model(small_config(), 3), Device::cuda));
        encode(*cuda, random_cloud(20, 1, small_fields()));
        emulated_device().gone = true;
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace pcl_attention::test
